// What leaves a plugin: solve* and nothing else.
#include <set>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

// The dynamic symbols that a library defines, weak ones of the C runtime aside.
std::set<std::string> exports(const std::filesystem::path& library) {
    const auto result =
        test::run("nm -D --defined-only '" + library.string() + "' | awk '{ print $NF }' | sed 's/@.*//'");
    REQUIRE(result.exit_code == 0);
    std::istringstream lines(result.out);
    std::set<std::string> names;
    for (std::string name; std::getline(lines, name);) names.insert(name);
    return names;
}

}  // namespace

TEST_CASE("every built plugin exports solve and solve_*, and nothing else") {
    int plugins = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::kBuild + "/plugins")) {
        if (entry.path().extension() != ".so") continue;
        ++plugins;
        INFO(entry.path());
        const auto names = exports(entry.path());
        CHECK(names.count("solve") + names.count("solve_chain") > 0);
        for (const std::string& name : names) {
            INFO(name);
            CHECK((name == "solve" || name.rfind("solve_", 0) == 0));
        }
    }
    CHECK(plugins > 5);
}

TEST_CASE("the version script names the entries of solve.h, all of them") {
    const std::string header = test::read_file(SOURCE_DIRECTORY "/abi/solve.h");
    const std::string map = test::read_file(SOURCE_DIRECTORY "/abi/solve.map");
    for (const char* entry : {"solve", "solve_info", "solve_last_error", "solve_enqueue", "solve_chain"}) {
        INFO(entry);
        CHECK(header.find(std::string(entry) + "(") != std::string::npos);
        CHECK(map.find("        " + std::string(entry) + ";") != std::string::npos);
    }
}
