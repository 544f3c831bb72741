// Standard streams that are closed or full, descriptors that others use, and what is left of a run then.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;
using test::kGood;

const std::string kJudge = kCompare + " " + kGood + " --check-only --shape 5 ";

}  // namespace

TEST_CASE("a standard stream that is closed harms no plugin, and what is written elsewhere is whole", "[larger]") {
    const test::TemporaryDirectory directory;
    const auto json = directory / "rows.json";
    // All of them closed, and in `make test-all` each of them.
    for (const std::string closed : {"<&- >&- 2>&-", "<&-", ">&-", "2>&-"}) {
        if (closed.size() < 5 && !std::getenv("TEST_ALL")) continue;
        INFO(closed);
        CHECK(test::run(kJudge + "--json " + json.string() + " " + closed).exit_code == 0);
        const auto rows = nlohmann::json::parse(test::read_file(json)).at("rows");
        REQUIRE(rows.size() == 1);
        CHECK(rows.at(0).at("status") == "ok");
        CHECK(rows.at(0).at("message") == "");
    }
    CHECK(contains(test::run(kJudge + "<&- 2>&-").out, "1 ok"));
}

TEST_CASE("what cannot be printed is an error, whatever was to be printed", "[heavy]") {
    for (const std::string& command :
         {kJudge, kJudge + "--markdown", kCompare + " --list " + kGood, kCompare + " --help"}) {
        INFO(command);
        const auto result = test::run(command + " >/dev/full");
        CHECK(result.exit_code == 1);
        CHECK(contains(result.err, "compare: stdout: cannot be written: No space left on device"));
    }
    CHECK(test::run(kJudge + "2>/dev/full").exit_code == 0);
    CHECK(test::run(kJudge + "--no-such-option 2>/dev/full").exit_code == 1);
}

TEST_CASE("a disk that is full costs the file, and neither the table nor another file nor another plugin", "[heavy]") {
    const test::TemporaryDirectory directory;
    const std::string wrong = kBuild + "/bad_plugins/control_wrong.so";
    for (const auto& [full, whole] : {std::pair{"--json", "--csv"}, {"--csv", "--html"}, {"--html", "--json"}}) {
        const auto file = directory / "rows";
        const auto result = test::run(kCompare + " " + kGood + " " + wrong + " --check-only --shape 7 " + full +
                                      " /dev/full " + whole + " " + file.string());
        INFO(result.out << result.err);
        CHECK(result.exit_code == 1);
        CHECK(contains(result.err, std::string(full) + " /dev/full: cannot be written: No space left on device"));
        CHECK(contains(result.out, "1 ok, 1 wrong"));
        CHECK(contains(test::read_file(file), "control_wrong"));
    }
}

TEST_CASE("a worker that cannot be started is the judge's failure, not the plugin's") {
    const auto result = test::run("ulimit -n 6; " + kJudge);
    INFO(result.out << result.err);
    CHECK(result.exit_code == 9);
    CHECK(contains(result.out, "the judge itself failed, not the plugin"));
}

TEST_CASE("--worker with anything that is no job is an error, not an abort") {
    for (const char* job :
         {"{}", "", "[]", "7", "null", "{", "{\"kind\": 7}", "{\"kind\": \"judge\", \"plugin\": []}"}) {
        const auto result = test::run(kCompare + " --worker '" + job + "'");
        INFO(job << ": " << result.err);
        CHECK(result.exit_code == 1);
        CHECK(contains(result.err, "compare: --worker is for this program's own use"));
    }
}

TEST_CASE("a plugin gets none of the descriptors that the run was started with", "[heavy]") {
    const test::TemporaryDirectory directory;
    const auto file = directory / "open", library = directory / "x.so";
    std::ofstream(directory / "x.cpp") << R"(#include <unistd.h>
        #include "tests/bad_plugins/multiply.h"
        extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
            for (int fd = 3; fd < 30; ++fd) write(fd, "x", 1);
            multiply(A, B, C, M, N, K);
        })";
    REQUIRE(
        test::run("c++ -w -shared -fPIC -I. " + (directory / "x.cpp").string() + " -o " + library.string()).exit_code ==
        0);
    const auto result =
        test::run(kCompare + " " + library.string() + " --check-only --shape 5 7>'" + file.string() + "'");
    INFO(result.out);
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "1 ok"));
    CHECK(std::filesystem::file_size(file) == 0);
}
