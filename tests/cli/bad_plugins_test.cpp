// Every plugin of tests/bad_plugins gets the status that its first line expects, and harms nobody else.
#include <nlohmann/json.hpp>

#include <map>
#include <regex>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::kBuild;
using test::kCompare;

std::map<std::string, std::string> expected_statuses() {
    std::map<std::string, std::string> expected;
    for (const auto& entry : std::filesystem::directory_iterator(SOURCE_DIRECTORY "/tests/bad_plugins")) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string source = test::read_file(entry.path());
        std::smatch match;
        REQUIRE(std::regex_search(source, match, std::regex("^// expect: ([a-z-]+)\n")));
        expected[entry.path().stem()] = match[1];
    }
    return expected;
}

// The machine's processes that run this command line.
int processes(const std::string& command_line) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::string text = test::read_file(entry.path() / "cmdline");
        for (char& c : text) c = c ? c : ' ';
        count += text.starts_with(command_line);
    }
    return count;
}

}  // namespace

TEST_CASE("every bad plugin gets the status that its source expects, and the other rows are unharmed") {
    const test::TemporaryDirectory directory;
    const auto json_file = directory / "rows.json";
    const auto result =
        test::run(kCompare + " " + kBuild + "/bad_plugins --timeout 3 --check-only --shape 33x17x29 --json " +
                  json_file.string());
    CHECK(result.exit_code == 2);
    std::map<std::string, std::string> found;
    const auto document = nlohmann::json::parse(test::read_file(json_file));
    for (const auto& row : document.at("rows")) {
        CHECK(found.emplace(row.at("plugin"), row.at("status")).second);
        CHECK((row.at("status") == "ok") == row.at("message").get<std::string>().empty());
    }
    const auto expected = expected_statuses();
    CHECK(expected.size() > 30);
    CHECK(expected.at("control_correct") == "ok");
    CHECK(expected.at("control_wrong") == "wrong");
    CHECK(found == expected);
    CHECK(processes("sleep 987654") == 0);
    CHECK(processes(kCompare + " --worker") + processes("compare --worker") == 0);
}

TEST_CASE("the exit code of a run is that of its worst kind of row") {
    const auto exit_code_of = [](const std::string& plugin) {
        return test::run(kCompare + " " + kBuild + "/bad_plugins/" + plugin + ".so --check-only --shape 5 --timeout 2")
            .exit_code;
    };
    CHECK(exit_code_of("control_correct") == 0);
    CHECK(exit_code_of("control_wrong") == 2);
    CHECK(exit_code_of("crash_in_solve") == 3);
    CHECK(exit_code_of("hang_in_solve") == 3);
    CHECK(exit_code_of("no_solve") == 3);
    CHECK(exit_code_of("reports_error") == 5);
}

TEST_CASE("a crash at one shape leaves the plugin's other shapes to a new worker") {
    const auto result =
        test::run(kCompare + " " + kBuild + "/bad_plugins/crash_in_solve.so --check-only --shape 3 --shape 4");
    CHECK(result.out.find("2 crashed") != std::string::npos);
}

TEST_CASE("after a timeout the shapes left are not run") {
    const auto result = test::run(kCompare + " " + kBuild +
                                  "/bad_plugins/hang_in_solve.so --check-only --shape 3 --shape 4 --timeout 1");
    CHECK(result.out.find("2 timed-out") != std::string::npos);
    CHECK(result.out.find("not run, after the timeout at 3x3x3") != std::string::npos);
}

TEST_CASE("a message says what went wrong and where") {
    const auto output_of = [](const std::string& plugin) {
        return test::run(kCompare + " " + kBuild + "/bad_plugins/" + plugin + ".so --check-only --shape 6x5x7 --seed 1")
            .out;
    };
    const auto contains = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    CHECK(contains(output_of("control_wrong"), "1 wrong of 42 elements; first at (5, 3): got "));
    CHECK(contains(output_of("skips_last_row"), "7 of 42 elements of C not written"));
    CHECK(contains(output_of("reads_c"), "reads C"));
    CHECK(contains(output_of("cpp_solve"), "extern \"C\""));
    CHECK(contains(output_of("crash_in_solve"), "SIGSEGV"));
    CHECK(contains(output_of("throw_from_solve"), "a C++ exception: not today"));
    CHECK(contains(output_of("missing_symbol"), "function_that_no_library_has"));
    CHECK(contains(output_of("exit_0_in_solve"), "exit status 0"));
}
