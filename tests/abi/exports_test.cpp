// What leaves a plugin: solve* and nothing else.
#include <set>
#include <vector>

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

// The libraries that are built from plugins/. In the build directory may be somebody's own, too.
std::vector<std::filesystem::path> our_plugins(const std::filesystem::path& build) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(SOURCE_DIRECTORY "/plugins")) {
        names.insert(entry.path().stem());
    }
    std::vector<std::filesystem::path> found;
    for (const char* device : {"cpu", "cuda", "emulator"}) {
        if (!std::filesystem::exists(build / "plugins" / device)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(build / "plugins" / device)) {
            const auto& file = entry.path();
            if (file.extension() == ".so" && names.count(file.stem()) > 0) found.push_back(file);
        }
    }
    return found;
}

}  // namespace

TEST_CASE("every built plugin exports solve and solve_*, and nothing else", "[larger]") {
    auto plugins = our_plugins(test::kBuild);
    if (std::getenv("TEST_ALL") != nullptr) {  // then those for every architecture are built
        for (const auto& each : our_plugins(test::kBuild + "/all")) plugins.push_back(each);
    }
    for (const auto& plugin : plugins) {
        INFO(plugin);
        const auto names = exports(plugin);
        CHECK(names.count("solve") + names.count("solve_chain") > 0);
        for (const std::string& name : names) {
            INFO(name);
            CHECK((name == "solve" || name.rfind("solve_", 0) == 0));
        }
    }
    CHECK(plugins.size() > 5);
}

TEST_CASE("somebody's own library in the build directory is not ours to judge") {
    const test::TemporaryDirectory build;
    for (const char* file :
         {"plugins/own.so", "plugins/cpu/own.so", "plugins/cpu/00_serial.so", "plugins/10_naive.so"}) {
        std::filesystem::create_directories((build / file).parent_path());
        std::ofstream(build / file) << "exports anything\n";
    }
    CHECK(our_plugins(build.path()) == std::vector{build / "plugins/cpu/00_serial.so"});
}

TEST_CASE("the version script names the entries of solve.h, all of them") {
    const std::string header = test::read_file(SOURCE_DIRECTORY "/abi/solve.h");
    const std::string map = test::read_file(SOURCE_DIRECTORY "/abi/solve.map");
    for (const char* entry : {"solve", "solve_info", "solve_last_error", "solve_enqueue", "solve_chain", "solve_gemm",
                              "solve_chain_enqueue"}) {
        INFO(entry);
        CHECK(header.find(std::string(entry) + "(") != std::string::npos);
        CHECK(map.find("        " + std::string(entry) + ";") != std::string::npos);
    }
}
