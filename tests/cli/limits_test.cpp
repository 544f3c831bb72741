// A plugin that is right where it was asked and not elsewhere: what compare says of it, and how it ends.
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;

// What the first two lines of a fixture in tests/foreign/notebook expect of it: a status, and a part of the message.
std::pair<std::string, std::string> expectation(const std::string& name) {
    const std::string source = test::read_file(SOURCE_DIRECTORY "/tests/foreign/notebook/" + name + ".cu");
    std::smatch match;
    REQUIRE(std::regex_search(source, match, std::regex("^// expect: (.*)\n// says: ?(.*)\n")));
    return {match[1], match[2]};
}

nlohmann::json rows_even_if_limited(const std::string& arguments) {
    const test::TemporaryDirectory directory;
    const auto file = directory / "rows.json";
    test::run(kCompare + " --json " + file.string() + " " + arguments);
    return nlohmann::json::parse(test::read_file(file)).at("rows");
}

void check_notebook(const std::string& libraries, size_t count) {
    const auto rows = rows_even_if_limited(libraries + " --check-only --shape 256");
    CHECK(rows.size() == count);
    for (const auto& row : rows) {
        const auto [status, says] = expectation(row.at("plugin"));
        const std::string message = row.at("message");
        INFO(row.at("plugin") << ": " << message);
        CHECK(row.at("status") == status);
        CHECK(contains(message, says));
        CHECK(row.at("class") == "FP32");
        if (status == "limited") CHECK(contains(message, "to repeat it: build/compare "));
    }
}

}  // namespace

TEST_CASE("a learner's kernels are right where they were written for, and each is told what it cannot do", "[larger]") {
    const std::string folder = kBuild + "/foreign/notebook";
    std::getenv("TEST_ALL") ? check_notebook(folder, 9) : check_notebook(folder + "/[237]*.so", 3);
}

TEST_CASE("a learner's kernels, built by plain nvcc, get the same verdicts on a GPU") {
    const std::string folder = kBuild + "/foreign/cuda/notebook";
    if (!std::filesystem::exists(folder) || test::run("nvidia-smi").exit_code != 0) {
        std::printf("SKIPPED: a learner's kernels on a GPU: no GPU answers, or no nvcc\n");
        return;
    }
    check_notebook(folder, 9);
}

TEST_CASE("a limited row has an exit status of its own, unless it is allowed, or refused") {
    const std::string plugin = kBuild + "/bad_plugins/drops_a_tail.so --quick --shape 64";
    const auto result = test::run(kCompare + " " + plugin);
    INFO(result.out);
    CHECK(result.exit_code == 8);
    CHECK(contains(result.out, "! drops_a_tail"));
    CHECK(contains(result.out, "right where N is a multiple of 8; wrong at 317x251x283"));
    CHECK(contains(result.out, "TFLOP/s"));
    // Without times, which may be suspicious on a busy machine, and have a status of their own.
    const std::string checked = kBuild + "/bad_plugins/drops_a_tail.so --check-only --shape 64";
    CHECK(test::run(kCompare + " " + checked).exit_code == 8);
    CHECK(test::run(kCompare + " " + checked + " --allow-limited").exit_code == 0);
    const auto refused = test::run(kCompare + " " + plugin + " --require any-shape");
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.out, "--require any-shape, and it is limited: right where N is a multiple of 8"));
}

TEST_CASE("the command that a message names repeats the failure", "[heavy]") {
    const auto rows = rows_even_if_limited(kBuild + "/foreign/notebook/7_vectorised.so " + kBuild +
                                           "/foreign/notebook/3_coalesced.so --check-only --shape 128");
    for (const auto& row : rows) {
        const std::string message = row.at("message"), command = message.substr(message.rfind(": build/compare") + 15);
        INFO(message);
        CHECK(test::run(kCompare + command).exit_code % 8 != 0);
    }
}

TEST_CASE("N and K exchanged are told, whether C is wrong or the plugin crashes") {
    const auto rows =
        rows_even_if_limited(kBuild + "/foreign/notebook/2_contraction_named_k.so --check-only --shape 200x77x300 " +
                             "--shape 384x256x128 --shape 200x300x77");
    REQUIRE(rows.size() == 3);
    for (const auto& row : rows) {
        const std::string message = row.at("message");
        INFO(message);
        CHECK(contains(message, "N is the contraction here; this kernel takes M, K, N"));
    }
}
