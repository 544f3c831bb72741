// What shells complete, the manual page, and what a CI system is told.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;

const std::string kTwoControls = kCompare + " " + kBuild + "/bad_plugins/control_correct.so " + kBuild +
                                 "/bad_plugins/control_wrong.so --check-only --shape 9 ";

bool has(const std::string& program) {
    return test::run("command -v " + program).exit_code == 0;
}

// The words that bash offers behind this line.
std::string completed(const std::string& line) {
    const auto result = test::run("bash -c 'eval \"$(" + kCompare + " --completion bash)\"; COMP_LINE=\"compare " +
                                  line + "\"; COMP_POINT=${#COMP_LINE}; _compare; echo \"${COMPREPLY[@]}\"'");
    INFO(result.err);
    CHECK(result.err.empty());
    return result.out;
}

}  // namespace

TEST_CASE("bash completes options, their values and files") {
    CHECK(completed("--so") == "--sort\n");
    CHECK(completed("--sort ") == "speed name error\n");
    CHECK(completed("--quick --sort sp") == "speed\n");
    CHECK(completed("--op gemm:N") == "NN NT\n");  // behind the colon: readline keeps what stands before it
    CHECK(completed("Makef") == "Makefile\n");
    CHECK(completed("--json LICEN") == "LICENSE\n");
    const std::string all = completed("--");
    const std::string help = test::run(kCompare + " --help").out;
    for (const char* option : {"--shape", "--check-only", "--columns", "--junit", "--completion", "--man", "--help"}) {
        INFO(option);
        CHECK(contains(all, option));
        CHECK(contains(help, option));
    }
}

TEST_CASE("the scripts for zsh and fish are ones that these shells read") {
    for (const std::string shell : {"zsh", "fish"}) {
        const test::TemporaryDirectory directory;
        const std::string file = (directory / shell).string();
        REQUIRE(test::run(kCompare + " --completion " + shell + " > " + file).exit_code == 0);
        CHECK(contains(test::read_file(file), "sort"));
        if (!has(shell)) {
            std::printf("SKIPPED: %s reads its script: it is not installed\n", shell.c_str());
            continue;
        }
        const auto read = test::run(shell + " -n " + file);
        INFO(read.err);
        CHECK(read.exit_code == 0);
    }
    CHECK(test::run(kCompare + " --completion csh").exit_code == 1);
}

TEST_CASE("the manual page is one that groff has nothing to say about") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "compare.1").string();
    REQUIRE(test::run(kCompare + " --man > " + file).exit_code == 0);
    CHECK(contains(test::read_file(file), "\\-\\-shape"));
    if (!has("groff")) {
        std::printf("SKIPPED: groff formats the manual page: it is not installed\n");
        return;
    }
    const auto page = test::run("groff -man -Tutf8 -ww " + file);
    CHECK(page.exit_code == 0);
    CHECK(page.err.empty());
    CHECK(contains(page.out, "exit code"));
}

TEST_CASE("a CI system gets tests, metrics, marks and a summary, and the same exit status") {
    const test::TemporaryDirectory directory;
    const std::string junit = (directory / "x.xml").string(), bencher = (directory / "x.json").string(),
                      summary = (directory / "summary.md").string();
    std::ofstream(summary) << "before\n";
    const auto result = test::run("GITHUB_STEP_SUMMARY=" + summary + " " + kTwoControls +
                                  "--progress none --annotate " + "--junit " + junit + " --bencher " + bencher);
    CHECK(result.exit_code == 2);
    const std::string tests = test::read_file(junit);
    CHECK(contains(tests, " tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
    CHECK(test::run("python3 -c 'import xml.etree.ElementTree as x; x.parse(\"" + junit + "\")'").exit_code == 0);
    CHECK(nlohmann::json::parse(test::read_file(bencher)).empty());  // nothing was timed
    CHECK(result.err.rfind("::error file=", 0) == 0);
    CHECK(contains(result.err, "control_wrong.so,title=control_wrong (cpu) at 9x9x9%3A wrong::1 wrong of 81 elements"));
    CHECK(test::read_file(summary).rfind("before\n| plugin | device | class | 9x9x9 |\n", 0) == 0);
    CHECK(contains(result.out, "1 ok, 1 wrong"));

    const auto full = test::run("GITHUB_STEP_SUMMARY=/no/such/file " + kCompare + " " + kBuild +
                                "/bad_plugins/control_wrong.so --check-only --shape 9 --progress none");
    CHECK(full.exit_code == 1);
    CHECK(contains(full.err, "$GITHUB_STEP_SUMMARY: /no/such/file: cannot be written: No such file"));
    CHECK(test::run(kTwoControls + "--junit /no/such/directory/x.xml").exit_code == 1);
}
