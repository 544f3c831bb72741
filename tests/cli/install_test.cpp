// What make install leaves is found by the program, by pkg-config and by CMake, and is all gone after make uninstall.
#include "tests/catch.h"
#include "tests/process.h"

namespace {

namespace fs = std::filesystem;

// One that loads a plugin by its path, and one that is linked and finds the best for itself.
constexpr const char* kLinked = R"(#include <sgemm-ladder/sgemm_ladder.h>
#include <stdio.h>
int main(void) {
    const float a = 2, b = 3;
    float c = 0;
    if (sgemm_ladder_use(SOLVE_MEMORY_HOST) != SOLVE_OK || sgemm_ladder_solve(&a, &b, &c, 1, 1, 1) != SOLVE_OK) {
        return printf("%s\n", sgemm_ladder_last_error()), 1;
    }
    printf("%g by %s\n", c, sgemm_ladder_path());
    return 0;
})";

constexpr const char* kProgram = R"(#include <sgemm-ladder/loader.hpp>
int main(int, char** argv) {
    const float a = 2, b = 3;
    float c = 0;
    sgemm_ladder::Plugin(argv[1]).solve(&a, &b, &c, 1, 1, 1);
    return c == 6 ? 0 : 1;
})";

void run_well(const std::string& command) {
    const auto result = test::run(command);
    INFO(command << "\n" << result.out << result.err);
    CHECK(result.exit_code == 0);
}

}  // namespace

TEST_CASE("an installed program finds its plugins, an installed header is found by pkg-config and CMake") {
    const test::TemporaryDirectory directory;
    // Moved after it was installed, with a space in its path.
    run_well("host/tools/install.sh " + test::kBuild + " /usr '" + (directory / "root").string() + "'");
    fs::rename(directory / "root" / "usr", directory / "my programs");
    const fs::path prefix = directory / "my programs";
    const std::string quoted = "'" + prefix.string() + "'";
    const auto list = test::run(quoted + "/bin/sgemm-ladder-compare --list --device cpu");
    CHECK(list.exit_code == 0);
    CHECK(list.out.find("20_packed") != std::string::npos);

    CHECK(test::read_file(prefix / "share/man/man1/sgemm-ladder-compare.1").rfind(".TH COMPARE 1\n", 0) == 0);
    for (const char* file :
         {"bash-completion/completions/sgemm-ladder-compare", "zsh/site-functions/_sgemm-ladder-compare",
          "fish/vendor_completions.d/sgemm-ladder-compare.fish"}) {
        CHECK(test::read_file(prefix / "share" / file).find("sgemm-ladder-compare") != std::string::npos);
    }

    // The loader takes a space for the end of a name, so the library is named from where it lies.
    const auto served = test::run("cd " + quoted + " && SGEMM_LADDER_ENGINE=lib/sgemm-ladder/cpu/20_packed.so " +
                                  "LD_PRELOAD=lib/libsgemm_ladder_cublas.so " + test::kBuild +
                                  "/tests/cublas/program " + test::kBuild + "/tests/cublas/libcalls.so global one");
    CHECK(served.out == "one: status 0, right, by cuBLAS 0\n");
    const auto traced = test::run("cd " + quoted + " && bin/sgemm-ladder trace --shapes shapes " + test::kBuild +
                                  "/tests/cublas/program " + test::kBuild + "/tests/cublas/libcalls.so global one");
    CHECK(traced.exit_code == 0);
    const auto raced = test::run(quoted + "/bin/sgemm-ladder-compare --check-only --quick --filter 20_packed " +
                                 "--shapes-from " + quoted + "/shapes");
    INFO(traced.err << raced.out << raced.err);
    CHECK(raced.exit_code == 0);
    CHECK(raced.out.find("40x16x24 NN") != std::string::npos);
    fs::remove(prefix / "shapes");

    std::ofstream(directory / "main.cpp") << kProgram;
    const std::string call = "/main " + quoted + "/lib/sgemm-ladder/cpu/20_packed.so";
    if (test::run("command -v pkg-config").exit_code == 0) {
        const std::string ask = "PKG_CONFIG_PATH=" + quoted + "/lib/pkgconfig pkg-config ";
        run_well("cd " + directory.path().string() + " && eval c++ -std=c++17 main.cpp $(" + ask +
                 "sgemm-ladder-loader --cflags --libs) -o main && ." + call);
        fs::create_directory(directory / "empty");
        std::ofstream(directory / "empty/linked.c") << kLinked;
        const auto linked =
            test::run("cd " + (directory / "empty").string() + " && eval cc -std=c11 linked.c $(" + ask +
                      "sgemm-ladder --cflags --libs) -o linked && LD_LIBRARY_PATH=" + quoted + "/lib ./linked");
        INFO(linked.out << linked.err);
        CHECK(linked.out == "6 by " + prefix.string() + "/lib/sgemm-ladder/cpu/20_packed.so\n");
        CHECK(test::run(ask + "sgemm-ladder --variable=plugindir").out.find("lib/sgemm-ladder") != std::string::npos);
    } else {
        std::printf("SKIPPED: pkg-config finds what is installed: it is not installed itself\n");
    }
    if (test::run("command -v cmake").exit_code == 0) {
        std::ofstream(directory / "CMakeLists.txt")
            << "cmake_minimum_required(VERSION 3.15)\nproject(x CXX)\nfind_package(sgemm_ladder 1 REQUIRED)\n"
               "add_executable(main main.cpp)\ntarget_link_libraries(main sgemm_ladder::loader)\n"
               "add_executable(linked linked.cpp)\ntarget_link_libraries(linked sgemm_ladder::sgemm_ladder)\n";
        std::ofstream(directory / "linked.cpp") << kLinked;
        run_well("cd " + directory.path().string() + " && CMAKE_PREFIX_PATH=" + quoted +
                 " cmake -B out . && cmake --build out && out/linked && out" + call);
    } else {
        std::printf("SKIPPED: CMake finds what is installed: it is not installed itself\n");
    }
    run_well("host/tools/install.sh --remove " + quoted);
    CHECK((!fs::exists(prefix) || fs::is_empty(prefix)));
}

TEST_CASE("make package makes a Debian package, which dpkg installs and removes", "[heavy]") {
    if (test::run("command -v dpkg-deb && test \"$(id -u)\" = 0").exit_code != 0) {
        std::printf("SKIPPED: a Debian package is installed: no dpkg-deb, or not root\n");
        return;
    }
    const test::TemporaryDirectory directory;
    const std::string root = (directory / "root").string(), dpkg = "dpkg --force-depends --root=" + root;
    // Compressed it takes 66 s of CPU, of which 60 are xz's.
    run_well("DPKG_DEB_COMPRESSOR_TYPE=none host/tools/package.sh " + test::kBuild);
    run_well("mkdir -p " + root + "/var/lib/dpkg/info " + root + "/var/lib/dpkg/updates && touch " + root +
             "/var/lib/dpkg/status");
    run_well(dpkg + " -i " + test::kBuild + "/sgemm-ladder_*.deb");
    const auto list = test::run(root + "/usr/bin/sgemm-ladder-compare --list --device cpu");
    CHECK(list.out.find("20_packed") != std::string::npos);
    run_well(dpkg + " -r sgemm-ladder");
    CHECK_FALSE(fs::exists(root + "/usr/lib/sgemm-ladder"));
}
