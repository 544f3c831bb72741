#include "watch/dependencies.h"

#include <algorithm>

namespace judge {

namespace fs = std::filesystem;

namespace {

// The words of a rule: a backslash joins two lines, or makes a blank or a # part of a word; $$ is a $.
std::vector<std::string> words_of(const std::string& rules) {
    std::vector<std::string> words;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) words.push_back(word);
        word.clear();
    };
    for (size_t i = 0; i < rules.size(); ++i) {
        const char next = i + 1 < rules.size() ? rules[i + 1] : '\0';
        if (rules[i] == '\\' && next == '\n') {
            end_word();
            ++i;
        } else if ((rules[i] == '\\' && (next == ' ' || next == '#')) || (rules[i] == '$' && next == '$')) {
            word += next;
            ++i;
        } else if (rules[i] == ' ' || rules[i] == '\n' || rules[i] == '\t') {
            end_word();
        } else {
            word += rules[i];
        }
    }
    end_word();
    return words;
}

bool is_below(const fs::path& file, const fs::path& folder) {
    const auto [of_file, of_folder] = std::mismatch(file.begin(), file.end(), folder.begin(), folder.end());
    return of_folder == folder.end();
}

}  // namespace

std::vector<fs::path> dependencies_in(const std::string& rules, const fs::path& root) {
    std::vector<fs::path> files;
    for (const std::string& word : words_of(rules)) {
        if (word.ends_with(':')) continue;  // a target
        const fs::path file = (root / word).lexically_normal();
        const bool others = is_below(file, "/usr") || is_below(file, root / "host/emulator/include");
        if (!others && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
    return files;
}

}  // namespace judge
