#include "host/parent/options.h"

#include <cstdlib>
#include <set>

#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

std::variant<Options, int> parse_all(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    return parse_options(int(arguments.size()), argv.data());
}

Options parse(const std::vector<std::string>& arguments) {
    const auto parsed = parse_all(arguments);
    REQUIRE(std::holds_alternative<Options>(parsed));
    return std::get<Options>(parsed);
}

// The message of a usage error.
std::string refusal(const std::vector<std::string>& arguments) {
    std::variant<Options, int> parsed;
    const std::string message = printed_to(2, [&] { parsed = parse_all(arguments); });
    CAPTURE(arguments);
    CHECK(std::holds_alternative<int>(parsed));
    if (std::holds_alternative<int>(parsed)) CHECK(std::get<int>(parsed) == 1);
    return message;
}

}  // namespace

TEST_CASE("without arguments everything has its default") {
    const Options options = parse({});
    CHECK(options.paths.empty());
    CHECK(options.shapes.empty());
    CHECK(!options.device);
    CHECK(options.filter.empty());
    CHECK(!options.check_only);
    CHECK(!options.list);
    CHECK(options.json.empty());
    CHECK(options.csv.empty());
    CHECK(options.against.empty());
    CHECK(options.max_slowdown == 0.03);
    CHECK(options.effort == Effort::normal);
    CHECK(!options.markdown);
    CHECK(options.timeout_s == 60);
    CHECK(options.data == Data::uniform);
    CHECK(!options.require);
    CHECK(!options.any_shape);
    CHECK(!options.allow_limited);
    CHECK(options.misalignment == 0);
    CHECK(options.command_line == "compare");
}

TEST_CASE("without --seed each run has another one") {
    std::set<uint64_t> seeds;
    for (int run = 0; run < 4; ++run) seeds.insert(parse({}).seed);
    CHECK(seeds.size() > 1);
}

TEST_CASE("paths may be several, and must exist") {
    const TemporaryDirectory directory;
    write_file(directory / "x.so", "");
    const auto paths = parse({directory.path().string(), "--list", (directory / "x.so").string()}).paths;
    CHECK(paths == std::vector<fs::path>{directory.path(), directory / "x.so"});
    CHECK(contains(refusal({(directory / "missing.so").string()}), "missing.so"));
    write_file(directory / "run.json", "{}");
    CHECK(contains(refusal({(directory / "run.json").string()}), "compare report"));
}

TEST_CASE("a mistyped option is what is refused, not the value after it") {
    const std::string message = refusal({"--shap", "64"});
    CAPTURE(message);
    CHECK(contains(message, "--shap"));
    CHECK(!contains(message, "PATH"));
}

TEST_CASE("--shape may be repeated, and takes one shape each time") {
    const TemporaryDirectory directory;
    const Options options = parse({"--shape", "1x2x3", directory.path().string(), "--shape=64"});
    CHECK(options.shapes == std::vector<Shape>{{1, 2, 3}, {64, 64, 64}});
    CHECK(options.paths == std::vector<fs::path>{directory.path()});
}

TEST_CASE("--device takes auto or one of the devices") {
    CHECK(!parse({"--device", "auto"}).device);
    CHECK(parse({"--device", "cuda"}).device == Target::cuda);
    CHECK(parse({"--device", "gpus"}).device == Target::gpus);
    CHECK(parse({"--scaling", "--pageable"}).scaling);
    CHECK(parse({"--pageable"}).pageable);
    CHECK(!parse({}).pageable);
    CHECK(!parse({}).host_to_host);
    CHECK(parse({"--host-to-host", "--counters"}).host_to_host);
    CHECK(!parse({"--host-to-host"}).counters);
    CHECK(parse({"--counters", "--check-only"}).counters);
    CHECK(contains(refusal({"--host-to-host", "--check-only"}), "--check-only"));
    CHECK(contains(refusal({"--counters", "--list"}), "--list"));
    CHECK(parse({"--device", "cpu"}).device == Target::cpu);
    CHECK(parse({"--device", "emulator"}).device == Target::emulator);
}

TEST_CASE("the other options set what they say") {
    CHECK(parse({"--filter", "^1[0-9]_"}).filter == "^1[0-9]_");
    CHECK(parse({"--check-only"}).check_only);
    const std::vector<Shape> to_check = {{3, 3, 3}, {4, 5, 6}};
    CHECK(parse({"--check-shape", "3", "--check-shape", "4x5x6"}).check_shapes == to_check);
    CHECK(contains(refusal({"--check-shape", "4x"}), "--check-shape: "));
    CHECK(contains(refusal({"--check-shape", "4", "--shapes-from", "Makefile"}), "--shapes-from"));
    CHECK(parse({"--list"}).list);
    CHECK(parse({"--json", "some/file.json"}).json == "some/file.json");
    CHECK(parse({"--save", "some/file.json"}).json == "some/file.json");
    CHECK(parse({"--csv", "some/file.csv"}).csv == "some/file.csv");
    CHECK(parse({"--html", "some/page.html"}).html == "some/page.html");
    CHECK(parse({"--markdown"}).markdown);
    CHECK(parse({"--quick"}).effort == Effort::quick);
    CHECK(parse({"--thorough"}).effort == Effort::thorough);
    CHECK(parse({"--seed", "18446744073709551615"}).seed == 18446744073709551615u);
    CHECK(parse({"--seed", "0"}).seed == 0);
    CHECK(parse({"--timeout", "0.5"}).timeout_s == 0.5);
    CHECK(parse({"--op", "chain"}).operation == Operation::chain);
    CHECK(parse({"--op", "gemm"}).operation == Operation::gemm);
    CHECK(parse({"--op", "gemm:TN"}).operation == Operation::full_gemm);
    CHECK(parse({"--op", "gemm:TN"}).form == GemmForm{true, false, 1});
    CHECK(parse({"--batch", "96", "--op", "gemm:NT"}).form == GemmForm{false, true, 96});
    for (const std::string& name : data_names()) CHECK(to_string(parse({"--data", name}).data) == name);
    CHECK(parse({"--require", "fp32-emulated"}).require == PrecisionClass::fp32_emulated);
    CHECK(parse({"--require", "fp32", "--op", "chain"}).require == PrecisionClass::fp32);
    const Options both = parse({"--require", "any-shape", "--require", "tf32"});
    CHECK(both.any_shape);
    CHECK(both.require == PrecisionClass::tf32);
    CHECK(parse({"--allow-limited"}).allow_limited);
    CHECK(parse({"--misalign", "3"}).misalignment == 3);
}

TEST_CASE("the table is sorted and has the columns that are asked for") {
    CHECK(parse({}).sort == Sort::none);
    CHECK(parse({"--sort", "speed"}).sort == Sort::speed);
    CHECK(parse({"--sort", "name"}).sort == Sort::name);
    CHECK(parse({"--sort", "error"}).sort == Sort::error);
    CHECK(parse({}).progress == ProgressKind::automatic);
    CHECK(parse({"--progress", "live"}).progress == ProgressKind::live);
    CHECK(parse({"--progress", "lines"}).progress == ProgressKind::lines);
    CHECK(parse({"--progress", "none"}).progress == ProgressKind::none);
    CHECK(parse({}).columns.usual());
    CHECK(parse({"--columns", "+grid,+host"}).columns == ColumnChoice{{"grid", "host"}, true});
    CHECK(contains(refusal({"--columns", "speed"}), "there is no column 'speed'; there are all, device"));
    std::variant<Options, int> parsed;
    const std::string help = printed_to(1, [&] { parsed = parse_all({"--columns", "help"}); });
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == 0);
    CHECK(contains(help, "  registers "));
}

TEST_CASE("what a CI system reads is written where it is asked for") {
    CHECK(parse({}).junit.empty());
    CHECK(!parse({}).annotate);
    CHECK(parse({"--junit", "x.xml"}).junit == "x.xml");
    CHECK(parse({"--bencher", "x.json"}).bencher == "x.json");
    CHECK(parse({"--annotate"}).annotate);
}

TEST_CASE("a script for a shell, or the manual page, is printed in place of a run") {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--completion", "bash"}, {"--man"}}) {
        std::variant<Options, int> parsed;
        const std::string text = printed_to(1, [&] { parsed = parse_all(arguments); });
        REQUIRE(std::holds_alternative<int>(parsed));
        CHECK(std::get<int>(parsed) == 0);
        CHECK(contains(text, "shape"));
    }
}

TEST_CASE("--against takes a file that is there, and --max-slowdown a part of 1 or a percentage") {
    const TemporaryDirectory directory;
    const std::string file = directory / "base.json";
    write_file(file, "");
    CHECK(parse({"--against", file}).against == file);
    const auto allowed = [&](const std::string& slowdown) {
        return parse({"--against", file, "--max-slowdown", slowdown}).max_slowdown;
    };
    CHECK(allowed("10%") == 0.1);
    CHECK(allowed("0.25") == 0.25);
    CHECK(allowed("0") == 0);
    CHECK(allowed("300%") == 3);
    for (const char* slowdown : {"-1%", "much", "5 %", "5%%", "nan", "", "%", "3"}) {
        const std::string message = refusal({"--against", file, "--max-slowdown", slowdown});
        CAPTURE(slowdown, message);
        CHECK(contains(message, "--max-slowdown"));
    }
    CHECK(contains(refusal({"--against", directory / "missing.json"}), "missing.json"));
    CHECK(contains(refusal({"--against", directory.path()}), "is actually a directory"));
}

TEST_CASE("options that say nothing together are refused together") {
    const std::string both = refusal({"--quick", "--thorough"});
    CAPTURE(both);
    CHECK(contains(both, "--quick"));
    CHECK(contains(both, "--thorough"));
    const std::string alone = refusal({"--max-slowdown", "5%"});
    CAPTURE(alone);
    CHECK(contains(alone, "--against"));
    // What nothing would be compared with, or written to.
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--check-only", "--against", "/dev/null"},
          {"--list", "--against", "/dev/null"},
          {"--list", "--save", "x.json"},
          {"--list", "--csv", "x.csv"},
          {"--list", "--junit", "x.xml"},
          {"--list", "--bencher", "x.json"},
          {"--list", "--html", "x.html"}}) {
        CHECK(contains(refusal(arguments), "excludes"));
    }
}

TEST_CASE("the command line is kept for the record") {
    CHECK(parse({"--seed", "7", "--check-only"}).command_line == "compare --seed 7 --check-only");
}

TEST_CASE("a usage error returns 1, and its message names the option") {
    const std::vector<std::vector<std::string>> cases = {
        {"--shape", "1x2"},
        {"--shape", "1x2x3x4"},
        {"--shape", "-1x2x3"},
        {"--shape", "big"},
        {"--shape", ""},
        {"--shape"},
        {"--device", "gpu"},
        {"--device"},
        {"--filter", "("},
        {"--filter", "[a"},
        {"--seed", "abc"},
        {"--seed", "1.5"},
        {"--timeout", "0"},
        {"--timeout", "-3"},
        {"--timeout", "soon"},
        {"--timeout", "inf"},
        {"--json"},
        {"--data", "constant"},
        {"--data", "0"},
        {"--require", "fp8"},
        {"--require", "0"},
        {"--require", "fp32", "--require", "tf32"},
        {"--require", "any-shape", "--allow-limited"},
        {"--misalign", "64"},
        {"--op", "sum"},
        {"--op", "1"},
        {"--csv"},
        {"--html"},
        {"--against"},
        {"--quick=perhaps"},
        {"--markdown=perhaps"},
        {"--no-such-option"},
        {"--check-only=perhaps"},
        {"--list=perhaps"},
        {"--sort", "colour"},
        {"--sort", "1"},
        {"--columns", ""},
        {"--progress", "loud"},
        {"--completion", "csh"},
        {"--junit"},
    };
    for (const auto& arguments : cases) {
        const std::string message = refusal(arguments);
        CAPTURE(arguments, message);
        CHECK(contains(message, arguments[0].substr(0, arguments[0].find('='))));
        CHECK(contains(message, "compare --help"));
    }
}

TEST_CASE("a seed that is not from 0 to 2^64 - 1 is refused, not changed") {
    for (const char* seed : {"-1", "18446744073709551616"}) CHECK(contains(refusal({"--seed", seed}), "--seed"));
}

TEST_CASE("a deadline that is no number, or that the clock cannot count, is refused") {
    for (const char* seconds : {"nan", "1e12", "0.0001"}) CHECK(contains(refusal({"--timeout", seconds}), "--timeout"));
}

TEST_CASE("a bad shape is shown with the form expected") {
    const std::string message = refusal({"--shape", "1x2"});
    CAPTURE(message);
    CHECK(contains(message, "'1x2'"));
    CHECK(contains(message, "MxNxK"));
}

TEST_CASE("a usage error is one sentence, and the next one says where help is") {
    CHECK(printed_to(2, [] { usage_error("--x: no", "compare report"); }) ==
          "compare: --x: no. See compare report --help.\n");
    CHECK(printed_to(2, [] { usage_error("Name one."); }) == "compare: Name one. See compare --help.\n");
}

TEST_CASE("--help returns 0 and shows every option and the exit codes") {
    std::variant<Options, int> parsed;
    const std::string help = printed_to(1, [&] { parsed = parse_all({"--help"}); });
    REQUIRE(std::holds_alternative<int>(parsed));
    CHECK(std::get<int>(parsed) == 0);
    CAPTURE(help);
    for (const char* part :
         {"PATH",       "--shape",   "--device",       "--filter",   "--check-only",   "--json",
          "--seed",     "--timeout", "--list",         "--quick",    "--thorough",     "--save",
          "--csv",      "--against", "--max-slowdown", "--markdown", "--sort",         "--columns",
          "--progress", "--html",    "compare report", "exit code",  "4 a regression", "7 no plugin matched"}) {
        CAPTURE(part);
        CHECK(contains(help, part));
    }
}

TEST_CASE("--strict is handed to the emulator in the environment") {
    unsetenv("SOLVE_EMULATOR_STRICT");
    parse({"--check-only"});
    CHECK(std::getenv("SOLVE_EMULATOR_STRICT") == nullptr);
    parse({"--strict"});
    REQUIRE(std::getenv("SOLVE_EMULATOR_STRICT") != nullptr);
    CHECK(std::string(std::getenv("SOLVE_EMULATOR_STRICT")) == "1");
    unsetenv("SOLVE_EMULATOR_STRICT");
}
