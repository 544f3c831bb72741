// The command line from end to end: options, exit codes, the files written.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;
using test::kBuild;
using test::kCompare;
using test::kGood;

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
                                  "--timeout 0", "--no-such-option", "/no/such/directory", "--quick --thorough",
                                  "--max-slowdown 5%", "--against /no/such/file"}) {
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
    CHECK(contains(result.err, "make plugin FILE="));
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
    CHECK(row.at("bound").get<double>() == Approx(17.2));
    CHECK(row.at("time_ms").size() >= 2);
    CHECK(row.at("cold_ms").size() >= 2);
    CHECK(row.at("first_ms") > 0);
    CHECK(row.at("cold_median_ms").get<double>() > 0);
    CHECK(row.at("tflops").get<double>() == Approx(2.0 * 40 * 50 * 60 / row.at("median_ms").get<double>() / 1e9));

    const auto& environment = document.at("environment");
    for (const char* key : {"device", "driver", "cuda", "compiler", "date", "seed", "command"})
        CHECK(environment.contains(key));
    CHECK(environment.at("seed") == 7);
    CHECK(contains(environment.at("command"), "--shape 40x50x60"));
}

TEST_CASE("the same seed gives the same errors, another seed others", "[heavy]") {
    const auto rho = [](const std::string& seed) {
        return rows_of(kGood + " --check-only --shape 64 --seed " + seed).at("rows").at(0).at("rho").get<double>();
    };
    CHECK(rho("1") == rho("1"));
    CHECK(rho("1") != rho("2"));
}

TEST_CASE("--quick takes fewer samples", "[heavy]") {
    const auto samples = [](const std::string& option) {
        return rows_of(kGood + " --shape 40 " + option).at("rows").at(0).at("cold_ms").size();
    };
    CHECK(samples("--quick") <= 2);
    // A busy machine may leave no time for more than that.
    size_t normal = 0;
    for (int attempt = 0; attempt < 5 && normal <= 2; ++attempt) normal = samples("");
    CHECK(normal > 2);
}

TEST_CASE("--against an earlier --save says what is slower, and exits with 4") {
    const test::TemporaryDirectory directory;
    const auto base = directory / "base.json", now = directory / "now.json";
    const std::string race = kCompare + " " + kGood + " --quick --shape 40x50x60 ";
    // On a busy machine a time may be suspicious, and an interval wide; not five times in a row.
    const auto run_calmly = [](const std::string& command, auto is_calm) {
        test::Result result;
        for (int attempt = 0; attempt < 5; ++attempt) {
            result = test::run(command);
            if (result.exit_code != 5 && is_calm()) break;
        }
        return result;
    };
    const auto always = [] { return true; };
    REQUIRE(run_calmly(race + "--save " + base.string(), always).exit_code == 0);
    const auto saved = nlohmann::json::parse(test::read_file(base));
    REQUIRE(saved.at("rows").at(0).at("slowdown").is_null());
    const auto row_now = [&] { return nlohmann::json::parse(test::read_file(now)).at("rows").at(0); };
    const auto against = [&](const nlohmann::json& document, const std::string& options, auto is_calm) {
        std::ofstream(base) << document;
        return run_calmly(race + options + " --save " + now.string() + " --against " + base.string(), is_calm);
    };

    const auto same =
        against(saved, "--max-slowdown 1000%", [&] { return row_now().at("slowdown").at(1).get<double>() < 10; });
    const auto same_row = row_now();
    INFO(same.out << same.err);
    CHECK(same.exit_code == 0);
    CHECK_FALSE(contains(same.out, "slower"));
    CHECK(same_row.at("slowdown").at(0).get<double>() > 0.1);
    CHECK(same_row.at("slowdown").at(1).get<double>() < 10);
    CHECK(same_row.at("regression") == "");

    // As if it had been a hundred times as fast.
    auto faster = saved;
    auto& row = faster.at("rows").at(0);
    for (auto& ms : row.at("time_ms")) ms = ms.get<double>() / 100;
    if (row.at("ratio").is_number()) row.at("ratio") = row.at("ratio").get<double>() * 100;
    if (row.at("ratio_interval").is_array()) {
        for (auto& ratio : row.at("ratio_interval")) ratio = ratio.get<double>() * 100;
    }
    const auto slower = against(faster, "", always);
    INFO(slower.out << slower.err);
    CHECK(slower.exit_code == 4);
    CHECK(contains(slower.out, "slower control_correct (cpu) at 40x50x60: "));
    CHECK(contains(slower.out, "3 % is allowed"));
    const auto slower_row = row_now();
    CHECK(slower_row.at("slowdown").at(0).get<double>() > 10);
    CHECK(slower_row.at("status") == "ok");
    CHECK(contains(slower_row.at("regression"), base.string()));
    CHECK(against(faster, "--max-slowdown 100000%", always).exit_code == 0);
}

TEST_CASE("--against a run on another processor or other data, or what is no saved run, exits with 1") {
    const test::TemporaryDirectory directory;
    const auto base = directory / "base.json";
    const std::string judge = kCompare + " " + kGood + " --shape 9 ";
    REQUIRE(test::run(judge + "--check-only --save " + base.string()).exit_code == 0);
    const auto refused = [&](const std::string& text, const std::string& options = "") {
        std::ofstream(base) << text;
        const auto result = test::run(judge + options + "--against " + base.string());
        CHECK(result.exit_code == 1);
        CHECK(result.out.empty());
        return result.err;
    };
    const auto same = nlohmann::json::parse(test::read_file(base));
    auto other = same;
    other.at("environment").at("processor") = "Another Processor";
    CHECK(contains(refused(other.dump()), "not comparable: the processor is "));
    CHECK(contains(refused(same.dump(), "--data wide "), "not comparable: --data is wide"));
    CHECK(contains(refused("[1, 2"), "give a file that --save wrote"));
}

TEST_CASE("--against a run that timed nothing of this one says so", "[heavy]") {
    const test::TemporaryDirectory directory;
    const auto base = directory / "base.json";
    REQUIRE(test::run(kCompare + " " + kGood + " --shape 9 --check-only --save " + base.string()).exit_code == 0);
    const auto result = test::run(kCompare + " " + kGood + " --shape 9 --quick --against " + base.string());
    CHECK(result.exit_code == 0);
    CHECK(contains(result.err, "1 of 1 timed row not compared"));
}

TEST_CASE("a library given with --baseline is raced against in place of the vendor's") {
    const auto row =
        rows_of(kGood + " --shape 40 --baseline " + kBuild + "/bad_plugins/unique_static.so").at("rows").at(0);
    CHECK(row.at("baseline") == "unique_static");
    CHECK(row.at("ratio").get<double>() > 0);
    const auto refused = [&](const std::string& file) {
        const auto result = test::run(kCompare + " " + kGood + " --shape 9 --baseline " + file);
        CHECK(result.exit_code == 1);
        return result.err;
    };
    CHECK(contains(refused("Makefile"), "--baseline: "));
    CHECK(contains(refused(kBuild + "/foreign/plain.so"), "--baseline: an emulated library's time says nothing"));
    CHECK(contains(refused("/no/such.so"), "--baseline"));
}

TEST_CASE("--html writes a page, and report makes it of saved runs, of one or of two") {
    const test::TemporaryDirectory directory;
    const auto page = directory / "page.html", saved = directory / "run.json";
    REQUIRE(test::run(kCompare + " " + kGood + " --shape 9 --check-only --save " + saved.string() + " --html " +
                      page.string())
                .exit_code == 0);
    const std::string first = test::read_file(page);
    CHECK(contains(first, "The row is right."));
    CHECK(contains(first, "no row was timed (--check-only)"));

    const std::string report = kCompare + " report ", to = " --html " + page.string();
    REQUIRE(test::run(report + saved.string() + to).exit_code == 0);
    CHECK(test::read_file(page) == first);
    REQUIRE(test::run(report + saved.string() + " " + saved.string() + to).exit_code == 0);
    CHECK(contains(test::read_file(page), "What has changed"));

    CHECK(test::run(report + "--help").exit_code == 0);
    for (const std::string& wrong : {saved.string(), to, "/no/such/file.json" + to, page.string() + to,
                                     saved.string() + " --html /no/such/directory/x.html"}) {
        INFO(wrong);
        const auto result = test::run(report + wrong);
        CHECK(result.exit_code == 1);
        CHECK(!result.err.empty());
    }
}

TEST_CASE("--csv writes a line a row") {
    const test::TemporaryDirectory directory;
    const auto file = directory / "rows.csv";
    test::run(kCompare + " " + kBuild + "/bad_plugins --filter '^control_' --check-only --shape 7 --csv " +
              file.string());
    std::istringstream lines(test::read_file(file));
    std::string heading, correct, wrong, more;
    std::getline(lines, heading);
    std::getline(lines, correct);
    std::getline(lines, wrong);
    CHECK(heading.rfind("plugin,path,", 0) == 0);
    CHECK(correct.rfind("control_correct,", 0) == 0);
    CHECK(contains(correct, ",cpu,FP32,7x7x7,ok,"));
    CHECK(contains(wrong, ",7x7x7,wrong,"));
    CHECK_FALSE(std::getline(lines, more));
    CHECK(test::run(kCompare + " " + kGood + " --csv /no/such/directory/x.csv").exit_code == 1);
}

TEST_CASE("--markdown prints the rows, or the list, as a Markdown table") {
    const auto rows = test::run(kCompare + " " + kGood + " --shape 40 --quick --markdown");
    CHECK(rows.exit_code == 0);
    CHECK(rows.out.rfind("| plugin | device | class | 40x40x40 |\n|---|---|---|--:|\n| control_correct | cpu | ", 0) ==
          0);
    CHECK(contains(rows.out, "--quick --markdown`."));
    const auto list = test::run(kCompare + " --list --markdown " + kGood);
    CHECK(list.exit_code == 0);
    CHECK(contains(list.out, "\n| control_correct | "));
}

TEST_CASE("--check-only takes no time") {
    const auto document = rows_of(kGood + " --check-only --shape 40");
    CHECK(document.at("rows").at(0).at("time_ms").empty());
    CHECK(document.at("rows").at(0).at("cold_ms").empty());
    CHECK(document.at("rows").at(0).at("tflops").is_null());
}

TEST_CASE("empty products are judged too", "[heavy]") {
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
    // Its parent is compare, which is interrupted as if by a user: by a process of a group of its own.
    std::ofstream(directory / "b.cpp") << R"(#include <unistd.h>
        #include <csignal>
        extern "C" void solve(const float*, const float*, float*, int, int, int) {
            const pid_t compare = getppid();
            if (fork() == 0) {
                setsid();
                kill(compare, SIGINT);
            }
            while (true) pause();
        })";
    REQUIRE(test::run("c++ -shared -fPIC " + (directory / "b.cpp").string() + " -o " + (directory / "b.so").string())
                .exit_code == 0);
    const auto result =
        test::run(kCompare + " " + directory.path().string() + " --check-only --shape 9 --json " + file.string());
    CHECK(result.exit_code == 130);
    CHECK(contains(result.out, "1 ok"));
    CHECK(nlohmann::json::parse(test::read_file(file)).at("rows").size() == 1);
}

TEST_CASE("output that is no terminal has no colours, and each row on stderr as it is found", "[heavy]") {
    const std::string judge =
        kCompare + " " + kGood + " " + kBuild + "/bad_plugins/control_wrong.so --check-only --shape 9 --seed 1";
    const auto result = test::run(judge);
    CHECK(result.out.find('\033') == std::string::npos);
    CHECK(result.err.rfind("✓ control_correct (cpu) at 9x9x9: ok, FP32\n✗ control_wrong (cpu) at 9x9x9: wrong: ", 0) ==
          0);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 2);
    CHECK(test::run(judge + " --progress live").err == result.err);  // there is nothing to draw on
    CHECK(test::run(judge + " --progress none").err.empty());
}
