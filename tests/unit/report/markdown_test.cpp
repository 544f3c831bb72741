#include "host/report/markdown.h"

#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

const Json kNoGpu = {{"device", nullptr},
                     {"driver", nullptr},
                     {"cuda", nullptr},
                     {"processor", "Some Processor"},
                     {"cores", 3},
                     {"date", "2024-05-06T07:08:09Z"},
                     {"command", "compare --markdown"}};
const Json kGpu = {{"device", "Some GPU"},
                   {"driver", "580.1"},
                   {"cuda", "13.0"},
                   {"processor", "Some Processor"},
                   {"date", "2024-05-06T07:08:09Z"},
                   {"command", "compare --markdown"}};

Row graded_row(const std::string& plugin, const std::string& shape, double tflops, double ratio) {
    Row row;
    row.plugin = plugin;
    row.device = Target::cuda;
    row.arithmetic = row.precision = "FP32";
    row.shape = shape;
    row.status = Status::ok;
    row.tflops = tflops;
    row.ratio = ratio;
    row.baseline = "00_cublas_fp32";
    return row;
}

}  // namespace

TEST_CASE("a line a plugin, a column a shape, in the order in which they came") {
    std::vector<Row> rows = {graded_row("a", "64x64x64", 51.23, 0.987), graded_row("a", "8x8x8", 1.234, 2),
                             graded_row("b", "8x8x8", 0.5, 1)};
    rows[2].ratio.reset();
    const std::vector<std::string> lines = lines_of(format_markdown(kGpu, rows));
    REQUIRE(lines.size() >= 6);
    CHECK(lines[0] == "| plugin | device | class | 64x64x64 | 8x8x8 |");
    CHECK(lines[1] == "|---|---|---|--:|--:|");
    CHECK(lines[2] == "| a | cuda | FP32 | 51.2 (0.99x) | 1.23 (2.00x) |");
    CHECK(lines[3] == "| b | cuda | FP32 |  | 0.50 |");
    CHECK(lines[4] == "");
    CHECK(lines[5] ==
          "TFLOP/s (2MNK over the median of the hot batches), in brackets against `00_cublas_fp32`. "
          "Some GPU, driver 580.1, CUDA 13.0, 2024-05-06T07:08:09Z, `compare --markdown`.");
}

TEST_CASE("a plugin of several classes shows them all, and one that was not measured what it claims") {
    Row good = graded_row("a", "8x8x8", 12, 1), normwise = graded_row("a", "64x64x64", 12, 1), claimed = good;
    normwise.precision = "normwise-only";
    claimed.plugin = "b";
    claimed.precision.clear();
    const std::string text = format_markdown(kGpu, {good, normwise, claimed});
    CHECK(contains(text, "| a | cuda | FP32, normwise-only | "));
    CHECK(contains(text, "| b | cuda | FP32? | "));
}

TEST_CASE("one plugin on two devices is two lines") {
    Row emulated = graded_row("a", "8x8x8", 0, 0);
    emulated.device = Target::emulator;
    emulated.tflops = emulated.ratio = std::nullopt;
    const std::string text =
        format_markdown(kGpu, {graded_row("a", "8x8x8", 12, 1), emulated, graded_row("b", "8x8x8", 6, 0.5)});
    CHECK(contains(
        text,
        "| a | cuda | FP32 | 12.0 (1.00x) |\n| a | emulator | FP32 | ok |\n| b | cuda | FP32 | 6.00 (0.50x) |\n\n"));
}

TEST_CASE("what was not timed, or is not ok, shows its status, and why below the table") {
    Row suspicious = graded_row("a", "8x8x8", 1e9, 1e9), unloaded;
    suspicious.status = Status::suspicious;
    suspicious.message = "took no time";
    unloaded.plugin = "b";
    unloaded.device = Target::cuda;
    unloaded.status = Status::load_error;
    unloaded.message = "not an ELF file";
    const std::string text = format_markdown(kGpu, {suspicious, unloaded});
    CHECK(contains(text, "| 8x8x8 | (not run) |\n"));
    CHECK(contains(text, "| a | cuda | FP32 | suspicious |  |\n| b | cuda |  |  | load-error |\n"));
    CHECK(
        contains(text, "\n\n- a (cuda) at 8x8x8: suspicious: took no time\n- b (cuda): load-error: not an ELF file\n"));
    CHECK(!contains(text, "+09"));
}

TEST_CASE("what is limited shows its speed, and that it is") {
    Row row = graded_row("a", "8x8x8", 12, 1);
    row.status = Status::limited;
    row.message = "right where M = N = K";
    const std::string text = format_markdown(kGpu, {row});
    CHECK(contains(text, "| a | cuda | FP32 | 12.0 (1.00x), limited |"));
    CHECK(contains(text, "limited: right where M = N = K"));
}

TEST_CASE("what is slower than it was is said below the table") {
    Row row = graded_row("a", "8x8x8", 12, 1);
    CHECK(!contains(format_markdown(kGpu, {row}), "\n- "));
    row.regression = "3.9 % to 4.1 % slower than in base.json";
    CHECK(contains(format_markdown(kGpu, {row}), "\n- a (cuda) at 8x8x8: 3.9 % to 4.1 % slower than in base.json\n"));
}

TEST_CASE("without a GPU the processor is named, and no baseline where none was raced against") {
    Row row = graded_row("a", "8x8x8", 12, 1);
    row.ratio.reset();
    const std::string text = format_markdown(kNoGpu, {row});
    CHECK(contains(text, "hot batches). Some Processor, 3 cores, 2024-05-06"));
    CHECK(!contains(text, "driver"));
}

TEST_CASE("a bar or a new line in a name or a message does not break the table") {
    Row row = graded_row("a|b\n||", "8x8x8", 12, 1);
    row.message = "one|\ntwo";
    const std::string text = format_markdown(kNoGpu, {row});
    CHECK(contains(text, "| a\\|b \\|\\| | cuda | FP32 | 12.0 (1.00x) |\n"));
    CHECK(contains(text, "ok: one\\| two\n"));
    Json environment = kNoGpu;
    environment["command"] = "compare 'a`b\nc'";
    CHECK(contains(format_markdown(environment, {row}), ", `` compare 'a`b c' ``.\n"));
}

TEST_CASE("the columns that were asked for make a table a shape") {
    std::vector<Row> rows = {graded_row("a|b", "8x8x8", 12, 1.5), graded_row("c", "9x9x9", 6, 0.5)};
    const std::string text = format_markdown(kGpu, rows, parse_columns("tflops,ratio,status"));
    CHECK(contains(text,
                   "| 8x8x8 | TFLOP/s | x 00_cublas_fp32 \\[95 %] | status |\n|---|--:|---|---|\n"
                   "| a\\|b | 12.0 | 1.500 | ok |\n\n| 9x9x9 | TFLOP/s |"));
    CHECK(contains(text, "| c | 6.00 | 0.500 | ok |\n\nSome GPU, driver 580.1"));
}
