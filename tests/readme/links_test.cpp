// What the READMEs and notes link to is there.
#include <regex>

#include "tests/catch.h"
#include "tests/process.h"

namespace fs = std::filesystem;

TEST_CASE("every file that a Markdown file links to or shows exists") {
    const fs::path root = SOURCE_DIRECTORY;
    std::istringstream files(test::run("find . -name '*.md' -not -path './build*' | sort").out);
    // [text](path#heading), <img src="path">, <source srcset="path">; not what has a scheme, as https://
    const std::regex link(R"re(\]\(([^)#\s]+)[^)]*\)|src(?:set)?="([^"]+)")re");
    int links = 0;
    for (std::string file; std::getline(files, file);) {
        const std::string text = test::read_file(root / file);
        for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
            const std::string target = (*at)[1].matched ? (*at)[1] : (*at)[2];
            if (target.find("://") != std::string::npos) continue;
            INFO(file << " links to " << target);
            CHECK(fs::exists((root / file).parent_path() / target));
            ++links;
        }
    }
    CHECK(links >= 30);
}
