// The promise of SOLVE_ABI_VERSION: what was built with the solve.h of the first release (first_release/, never
// changed) works with what is built today, either way round; and what is built today will with a header that has grown.
#include <algorithm>
#include <set>
#include <vector>

#include "abi/loader.hpp"
#include "tests/catch.h"
#include "tests/process.h"

namespace {

// A C file built with the solve.h of a folder; its path.
std::string built(const test::TemporaryDirectory& into, const std::string& file, const std::string& folder,
                  const std::string& flags = "") {
    const std::string made = (into / file).string() + ".built";
    // In its own folder there is another solve.h, which would be found first.
    const auto result = test::run("cc -std=c11 -Wall -Wextra -pedantic -Werror -O1 -I " + folder + " " + flags +
                                  " -x c - -o " + made + " < tests/abi/first_release/" + file + " -ldl");
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return made;
}

constexpr const char* kFirst = "tests/abi/first_release";

const std::string kResults =
    "solve 0: 2 1 4 3\nnegative 1: 2 1 4 3\nenqueue 0: 6 3 12 9\ngemm 0: 13 21 14 22\nno call 1: 13 21 14 22\n"
    "chain 0: 1 2 3 4\nchain and 0: 11 18 29 44\n";

// The lines of kResults that begin with one of these words.
std::string results_of(const std::vector<std::string>& entries) {
    std::string found;
    std::istringstream lines(kResults);
    for (std::string line; std::getline(lines, line);) {
        for (const std::string& each : entries) found += line.rfind(each, 0) == 0 ? line + "\n" : "";
    }
    return found;
}

// What a header declares, without comments and with one blank between words: "typedef struct solve_gemm_t { ... }", and
// of functions the whole. What is defined there is left out.
std::vector<std::string> declarations(const std::string& file) {
    const auto text = test::run("cc -fpreprocessed -dD -E -P '" SOURCE_DIRECTORY "/" + file +
                                "' | grep -v -e '^#' -e 'extern \"C\"' | tr -s '[:space:]' ' '")
                          .out;
    std::vector<std::string> found;
    std::string one;
    int depth = 0;
    for (const char c : text) {
        if (c == ' ' && one.empty()) continue;
        depth += (c == '{') - (c == '}');
        if (depth < 0) break;  // the end of extern "C"
        const bool is_definition = one.rfind("static inline", 0) == 0;
        const bool ends = depth == 0 && (is_definition ? c == '}' : c == ';');
        if (!ends) {
            one += c;
            continue;
        }
        if (!is_definition) found.push_back(one);
        one.clear();
    }
    return found;
}

// Whether a declaration is one of the first release, or the struct or enumeration that it was with more at its end.
bool keeps(const std::string& declaration, const std::string& first) {
    const size_t end = first.find_last_not_of(' ', first.rfind(" }"));
    if (first.find('{') == std::string::npos) return declaration == first;
    return declaration.rfind(first.substr(0, end + 1), 0) == 0 && !std::isdigit(declaration[end + 1]);
}

}  // namespace

TEST_CASE("what the first release declares is declared today, with nothing new but at the end") {
    const auto first = declarations("tests/abi/first_release/solve.h"), today = declarations("abi/solve.h");
    CHECK(first.size() == 17);
    for (const std::string& declaration : first) {
        INFO(declaration);
        CHECK(std::any_of(today.begin(), today.end(), [&](const auto& each) { return keeps(each, declaration); }));
    }
    const auto version = [](const char* file) {
        return test::run(std::string("grep '^#define SOLVE_ABI_VERSION ' ") + file).out;
    };
    CHECK(version("abi/solve.h") == version("tests/abi/first_release/solve.h"));
}

TEST_CASE("a plugin of the first release is judged right by today's compare, and called by today's loader") {
    const test::TemporaryDirectory directory;
    const std::string plugin = (directory / "plugin.so").string();
    std::filesystem::rename(built(directory, "plugin.c", kFirst, "-shared -fPIC"), plugin);
    const auto judged = test::run(test::kCompare + " --check-only --quick --shape 65x33x17 " + plugin);
    INFO(judged.out << judged.err);
    CHECK(judged.exit_code == 0);
    CHECK(judged.out.find("1 ok") != std::string::npos);
    const auto chain = test::run(test::kCompare + " --check-only --quick --op chain --shape 17x9x33x5 " + plugin);
    INFO(chain.out << chain.err);
    CHECK(chain.exit_code == 0);

    const sgemm_ladder::Plugin loaded(plugin);
    CHECK(loaded.info()->name == std::string("first_release"));
    CHECK((loaded.has_solve() && loaded.has_enqueue() && loaded.has_gemm() && loaded.has_chain()));
    CHECK_FALSE(loaded.takes_device_pointers());
    const float a[4] = {1, 2, 3, 4}, b[4] = {0, 1, 1, 0};
    float c[4];
    solve_gemm_t call = solve_gemm_one();
    call.M = call.N = call.K = 2, call.A = a, call.B = b, call.C = c, call.lda = call.ldb = call.ldc = 2;
    loaded.gemm(call);
    CHECK((c[0] == 2 && c[1] == 1 && c[2] == 4 && c[3] == 3));
    CHECK_THROWS_WITH(loaded.enqueue(a, 1, b, 2, c, 2, 2, 2, 2), plugin + ": a wrong argument");

    // And by a caller that is the same program, built today.
    CHECK(test::run(built(directory, "client.c", "abi") + " " + plugin).out ==
          "first_release: memory 2, arithmetic 1\n" + kResults);
}

TEST_CASE("today's plugins do what a client of the first release asks for") {
    const test::TemporaryDirectory directory;
    const std::string client = built(directory, "client.c", kFirst);
    const auto by = [&](const std::string& plugin) {
        return test::run(client + " " + test::kBuild + "/plugins/" + plugin + ".so").out;
    };
    CHECK(by("cpu/20_packed") ==
          "20_packed: memory 2, arithmetic 1\n" + results_of({"solve", "negative", "gemm", "no call"}));
    CHECK(by("emulator/10_naive") == "10_naive: memory 2, arithmetic 1\n" + results_of({"solve", "negative"}));
    CHECK(by("emulator/10_chain_fused") == "10_chain_fused: memory 2, arithmetic 1\n" + results_of({"chain 0"}));
    if (!std::filesystem::exists(test::kBuild + "/plugins/cpu/90_chain_openblas.so")) return;  // there is no BLAS here
    CHECK(by("cpu/90_chain_openblas") == "90_chain_openblas: memory 2, arithmetic 1\n" + results_of({"chain"}));
}

TEST_CASE("a plugin built with structs that have grown does what a client of the first release asks for") {
    const test::TemporaryDirectory tree, directory;
    const std::string root = tree.path().string();
    // Each sized struct gets a field at its end.
    const auto grown =
        test::run("mkdir -p " + root + "/plugins/cpu && cp -r abi " + root + " && cp -r plugins/common " + root +
                  "/plugins && cp plugins/cpu/20_packed.cpp " + root + "/plugins/cpu && sed -i " +
                  "'s/^} \\(solve_[a-z]*_t\\);/    uint64_t later[3];\\n} \\1;/' " + root +
                  "/abi/solve.h && grep -c 'later.3.' " + root + "/abi/solve.h && cd " + root +
                  " && ${CXX:-g++} -std=c++20 -O0 -fPIC -shared -pthread -DPLUGIN_NAME='\"grown\"' " +
                  "plugins/cpu/20_packed.cpp -o grown.so");
    INFO(grown.err);
    REQUIRE(grown.exit_code == 0);
    CHECK(std::stoi(grown.out) >= 2);
    CHECK(test::run(built(directory, "client.c", kFirst) + " " + root + "/grown.so").out ==
          "grown: memory 2, arithmetic 1\n" + results_of({"solve", "negative", "gemm", "no call"}));
}
