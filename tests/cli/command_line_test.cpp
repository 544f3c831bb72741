// The command line from end to end: options, exit codes, JSON.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::kBuild;
using test::kCompare;

const std::string kGood = kBuild + "/bad_plugins/control_correct.so";

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

nlohmann::json rows_of(const std::string& arguments) {
    const test::TemporaryDirectory directory;
    const auto file = directory / "rows.json";
    const auto result = test::run(kCompare + " " + arguments + " --json " + file.string());
    INFO(result.err);
    REQUIRE(std::filesystem::exists(file));
    return nlohmann::json::parse(test::read_file(file));
}

}  // namespace

TEST_CASE("--help says how to use it and succeeds") {
    const auto result = test::run(kCompare + " --help");
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "--shape"));
    CHECK(contains(result.out, "exit code"));
}

TEST_CASE("a usage error names the option and exits with 1") {
    for (const char* arguments : {"--shape 1x2", "--shape -1x2x3", "--shape axbxc", "--device tpu", "--filter '['",
                                  "--timeout 0", "--no-such-option", "/no/such/directory"}) {
        const auto result = test::run(kCompare + " " + arguments);
        INFO(arguments << ": " << result.err);
        CHECK(result.exit_code == 1);
        CHECK(contains(result.err, "--help"));
        CHECK(result.out.empty());
    }
    CHECK(contains(test::run(kCompare + " --shape 1x2").err, "MxNxK"));
}

TEST_CASE("a JSON file that cannot be written is found out before anything runs") {
    const auto result = test::run(kCompare + " " + kGood + " --json /no/such/directory/x.json");
    CHECK(result.exit_code == 1);
    CHECK(contains(result.err, "/no/such/directory/x.json"));
    CHECK(result.out.empty());
}

TEST_CASE("nothing found exits with 7 and says what to do") {
    const test::TemporaryDirectory empty;
    const auto result = test::run(kCompare + " " + empty.path().string());
    CHECK(result.exit_code == 7);
    CHECK(contains(result.err, empty.path().string()));
    CHECK(contains(result.err, "make plugins"));
    CHECK(test::run(kCompare + " " + kBuild + "/bad_plugins --filter no_such_name").exit_code == 7);
}

TEST_CASE("--device cuda without a GPU exits with 6") {
    const auto result = test::run("CUDA_VISIBLE_DEVICES= " + kCompare + " " + kGood + " --device cuda");
    CHECK(result.exit_code == 6);
    CHECK(contains(result.err, "--device emulator"));
}

TEST_CASE("a plugin named on the command line but built for another device is unsupported, not lost") {
    const auto result = test::run(kCompare + " " + kGood + " --device emulator");
    CHECK(result.exit_code == 6);
    CHECK(contains(result.out, "built for --device cpu"));
}

TEST_CASE("--filter takes the plugins whose name matches") {
    const auto document = rows_of(kBuild + "/bad_plugins --filter '^control_' --check-only --shape 7");
    REQUIRE(document.at("rows").size() == 2);
    CHECK(document["rows"][0].at("plugin") == "control_correct");
    CHECK(document["rows"][1].at("plugin") == "control_wrong");
}

TEST_CASE("a row records its accuracy, and its time with all samples") {
    const auto document = rows_of(kGood + " --shape 40x50x60 --seed 7");
    const auto& row = document.at("rows").at(0);
    CHECK(row.at("plugin") == "control_correct");
    CHECK(row.at("device") == "cpu");
    CHECK(row.at("shape") == "40x50x60");
    CHECK(row.at("status") == "ok");
    CHECK(row.at("message") == "");
    CHECK(row.at("max_error").get<double>() > 0);
    CHECK(row.at("rho").get<double>() > 0);
    CHECK(row.at("rho").get<double>() < row.at("bound").get<double>());
    CHECK(row.at("bound").get<double>() == 50);
    CHECK(row.at("time_ms").size() == 7);
    CHECK(row.at("tflops").get<double>() == Approx(2.0 * 40 * 50 * 60 / row.at("median_ms").get<double>() / 1e9));

    const auto& environment = document.at("environment");
    for (const char* key : {"device", "driver", "cuda", "compiler", "date", "seed", "command"})
        CHECK(environment.contains(key));
    CHECK(environment.at("seed") == 7);
    CHECK(contains(environment.at("command"), "--shape 40x50x60"));
}

TEST_CASE("the same seed gives the same errors, another seed others") {
    const auto rho = [](const std::string& seed) {
        return rows_of(kGood + " --check-only --shape 64 --seed " + seed).at("rows").at(0).at("rho").get<double>();
    };
    CHECK(rho("1") == rho("1"));
    CHECK(rho("1") != rho("2"));
}

TEST_CASE("--check-only takes no time") {
    const auto document = rows_of(kGood + " --check-only --shape 40");
    CHECK(document.at("rows").at(0).at("time_ms").empty());
    CHECK(document.at("rows").at(0).at("tflops").is_null());
}

TEST_CASE("empty products are judged too") {
    for (const char* shape : {"0x5x6", "5x0x6", "5x6x0", "0x0x0"}) {
        const auto document = rows_of(kGood + " --shape " + shape);
        CHECK(document.at("rows").at(0).at("status") == "ok");
    }
}

TEST_CASE("--list names the plugins and runs nothing") {
    const auto result = test::run(kCompare + " --list " + kBuild + "/plugins --device cpu");
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "00_serial"));
    CHECK(contains(result.out, "FP32"));
}

TEST_CASE("an interrupted run keeps the rows that it has, on stdout and in the JSON file") {
    const test::TemporaryDirectory directory;
    const auto file = directory / "rows.json";
    std::filesystem::create_symlink(kGood, directory / "a.so");
    std::filesystem::create_symlink(kBuild + "/bad_plugins/hang_in_solve.so", directory / "b.so");
    const auto result = test::run("timeout --preserve-status -s INT 3 " + kCompare + " " + directory.path().string() +
                                  " --check-only --shape 9 --json " + file.string());
    CHECK(result.exit_code == 130);
    CHECK(contains(result.out, "1 ok"));
    CHECK(nlohmann::json::parse(test::read_file(file)).at("rows").size() == 1);
}

TEST_CASE("output that is no terminal has no colours and no progress") {
    const auto result = test::run(kCompare + " " + kGood + " --check-only --shape 9");
    CHECK(result.out.find('\033') == std::string::npos);
    CHECK(result.err.empty());
}
