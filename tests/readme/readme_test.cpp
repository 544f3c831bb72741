// The README tells the truth: every command in it works.
#include <regex>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

// The lines of the ```sh blocks, without comments; a block is what a reader pastes.
std::vector<std::string> command_blocks() {
    const std::string readme = test::read_file(SOURCE_DIRECTORY "/README.md");
    std::vector<std::string> blocks;
    const std::regex block("```sh\n([^`]*)```");
    for (std::sregex_iterator at(readme.begin(), readme.end(), block), end; at != end; ++at) blocks.push_back((*at)[1]);
    return blocks;
}

bool has_gpu() {
    return test::run("nvidia-smi").exit_code == 0;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace

TEST_CASE("every command of the README runs and succeeds") {
    const auto blocks = command_blocks();
    CHECK(blocks.size() >= 4);
    int commands = 0;
    for (const std::string& block : blocks) {
        std::istringstream lines(block);
        std::string script = "set -e\n";
        for (std::string line; std::getline(lines, line);) {
            if (line.rfind("git clone", 0) == 0 || line.rfind("cd ", 0) == 0) continue;  // here we are
            if (line.rfind("make test", 0) == 0) continue;                               // what is running now
            // On a GPU the whole race takes minutes, and the figures come from one: here a short one will do.
            if (line.rfind("make run", 0) == 0 && has_gpu()) line = "make run ARGS='--shape 256 --check-only'";
            script += line + "\n";
            ++commands;
        }
        // The build that this test belongs to, not another one.
        script = replace_all(replace_all(script, "make ", "make BUILD=" + test::kBuild + " "), " build/",
                             " " + test::kBuild + "/");
        INFO(script);
        const auto result = test::run(script);
        INFO(result.out << result.err);
        CHECK(result.exit_code == 0);
    }
    CHECK(commands >= 4);
    // The example's library would be one more row of every later table.
    for (const char* suffix : {".so", ".d", ".ii", ".emulated.ii"}) {
        std::filesystem::remove(test::kBuild + "/plugins/plain" + suffix);
    }
}
