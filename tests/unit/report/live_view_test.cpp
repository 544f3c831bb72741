#include "host/report/live_view.h"

#include "host/base/text_width.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

Row row_of(const std::string& plugin) {
    Row row;
    row.plugin = plugin;
    row.shape = "8x8x8";
    row.status = Status::ok;
    row.precision = "FP32";
    return row;
}

}  // namespace

TEST_CASE("the time that is left is that of the rows so far, a row each") {
    CHECK(time_left({.expected = 10, .passed = 0, .seconds = 3}).empty());
    CHECK(time_left({.expected = 10, .passed = 10, .seconds = 3}).empty());
    CHECK(time_left({.expected = 10, .passed = 4, .seconds = 2}) == "3 s");
    CHECK(time_left({.expected = 100, .passed = 1, .seconds = 2}) == "4 min");
}

TEST_CASE("the table so far stands above what is being done, how the batches went and what is left") {
    RunState state{.expected = 4, .passed = 1, .seconds = 2, .doing = "[2/4] b: timing 8x8x8", .batches_ms = {1, 2, 3}};
    const auto lines = live_view({row_of("a")}, state, {}, 24);
    REQUIRE(lines.size() == 4);
    CHECK(contains(lines[1], "8x8x8"));
    CHECK(contains(lines[2], "  ✓ a "));
    CHECK(lines[3] == "[2/4] b: timing 8x8x8  3.00 ms ▁▅█  about 6 s left");
    state.batches_ms.clear();
    CHECK(live_view({row_of("a")}, state, {}, 24).back() == "[2/4] b: timing 8x8x8  about 6 s left");
}

TEST_CASE("it is neither higher nor wider than the terminal") {
    std::vector<Row> rows;
    for (int i = 0; i < 40; ++i) rows.push_back(row_of("a_plugin_with_a_rather_long_name_" + std::to_string(i)));
    const RunState state{.expected = 80,
                         .passed = 40,
                         .seconds = 2,
                         .doing = "[2/4] a_plugin_with_a_rather_long_name_41: checking exact sums at 8x8x8",
                         .batches_ms = {1, 2}};
    for (const size_t height : {2, 10, 24}) {
        const auto lines = live_view(rows, state, {.width = 60}, height);
        CHECK(lines.size() == height);
        for (const std::string& line : lines) CHECK(width(line) <= 60);
        CHECK(contains(lines.front(), "lines above this one"));
        CHECK(lines.back().ends_with("left"));
    }
    CHECK(contains(live_view(rows, state, {.width = 60}, 24)[22], "_39 "));
}

TEST_CASE("a row in a line says what is to be known of it") {
    Row row = row_of("a");
    CHECK(line_of(row) == "✓ a (cpu) at 8x8x8: ok, FP32");
    row.median_ms = 2.5;
    row.tflops = 51.234;
    row.ratio = 0.5;
    row.baseline = "00_cublas_fp32";
    CHECK(line_of(row) == "✓ a (cpu) at 8x8x8: ok, FP32, 2.50 ms, 51.2 TFLOP/s, 0.500 x 00_cublas_fp32");
    row.regression = "3.9 % slower";
    CHECK(line_of(row).ends_with("; slower: 3.9 % slower"));
    Row unloaded;
    unloaded.plugin = "b";
    unloaded.status = Status::load_error;
    unloaded.message = "not an ELF file";
    CHECK(line_of(unloaded) == "✗ b (cpu): load-error: not an ELF file");
}
