// What the titles of the charts say is so.
#include "host/report/html.h"
#include "host/values/json.h"
#include "tests/unit/report/html_run.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

std::string titles(const std::vector<Row>& rows, const std::optional<SavedRun>& earlier = std::nullopt) {
    const std::string page = format_html(gpu_environment(), rows, earlier);
    check_page(page);
    return headings(page);
}

}  // namespace

TEST_CASE("the staircase names the fastest rung and the largest step, of one class, without the baseline") {
    std::vector<Row> rows = {timed_row("base", "64x64x64", 55, 1), timed_row("10_a", "64x64x64", 10, 0.2),
                             timed_row("20_b", "64x64x64", 30, 0.6), timed_row("30_c", "64x64x64", 24, 0.48),
                             timed_row("40_tensor", "64x64x64", 500, 9)};
    rows[4].precision = "TF32-grade";
    const std::string found = titles(rows);
    CHECK(contains(found,
                   "20_b is the fastest of 3 FP32 kernels at 64x64x64: 30.0 TFLOP/s, 0.600 times as fast as base "
                   "[0.594, 0.606], 50 % of what the FP32 units can do."));
    CHECK(contains(found, "The largest step is that from 10_a to 20_b: 3.00x."));
    const std::string page = format_html(gpu_environment(), rows);
    CHECK(contains(page, "FFMA limit: 60.0"));
    CHECK(contains(page, "base: 55.0"));
    CHECK(contains(page, ">-20.0 %<"));
}

TEST_CASE("an interval that holds 1 is about as fast, and rows that are wrong or of another device are no rungs") {
    std::vector<Row> rows = {timed_row("10_a", "64x64x64", 10, 1.005), timed_row("20_b", "64x64x64", 99, 9),
                             timed_row("30_c", "64x64x64", 99, 9)};
    rows[1].status = Status::suspicious;
    rows[2].device = Target::cpu;
    rows.push_back(timed_row("40_d", "64x64x64", 5, 0.5));
    const std::string found = titles(rows);
    CHECK(contains(found, "10_a is the fastest of 2 FP32 kernels at 64x64x64: 10.0 TFLOP/s, about as fast as base"));
    CHECK(!contains(found, "The largest step"));
}

TEST_CASE("a row's bound is arithmetic or memory by its FLOP per byte") {
    // The ridge is at 60e12 / 3e12 = 20 FLOP per byte; 1x4096x4096 has 0.5, and 4096^3 has 683.
    const auto found = titles({timed_row("a", "1x4096x4096", 1.2, 1), timed_row("a", "4096x4096x4096", 45, 1)});
    CHECK(contains(found,
                   "Memory bounds the speed at 1 of 2 shapes, arithmetic at the others; the fastest kernel of each "
                   "reaches 75 % to 80 % of what is possible."));
    Json unknown = gpu_environment();
    unknown.erase("memory_gb_s");
    CHECK(
        contains(headings(format_html(unknown, {timed_row("a", "4096x4096x4096", 45, 1)})),
                 "The highest speed is that of a at 4096x4096x4096, 45.0 TFLOP/s; what bounds it is not known here."));
}

TEST_CASE("faster, slower and about equal are told by the intervals") {
    std::vector<Row> rows = {timed_row("base", "64x64x64", 50, 1), timed_row("a", "64x64x64", 60, 1.2),
                             timed_row("b", "64x64x64", 40, 0.8),  timed_row("c", "64x64x64", 50, 1.001),
                             timed_row("d", "64x64x64", 50, 1.3),  timed_row("a", "8x8x8", 40, 0.8)};
    rows[4].ratio_interval.reset();
    const std::string found = titles(rows);
    CHECK(contains(found,
                   "At 64x64x64, 1 kernel is faster than base, 1 slower, 1 about equal, 1 with too few blocks to "
                   "tell (by intervals of 95 %)."));
    CHECK(contains(found, "At 8x8x8, 0 kernels are faster than base, 1 slower (by"));
    CHECK(contains(found,
                   "Some FP32 kernel is faster than base at 1 of 2 shapes, none at 8x8x8; the highest ratio is that "
                   "of d at 64x64x64: 1.30."));
}

TEST_CASE("less accuracy has its price named, class by class") {
    std::vector<Row> rows = {timed_row("a", "64x64x64", 50, 1), timed_row("t", "64x64x64", 400, 8)};
    rows[1].precision = "TF32-grade";
    rows[1].normwise = 2e-4;
    CHECK(contains(titles(rows),
                   "At 64x64x64, 50.0 TFLOP/s is reached with an error of 3.0e-07 (FP32, a); 400 TFLOP/s is "
                   "reached with an error of 2.0e-04 (TF32-grade, t)."));
}

TEST_CASE("drift is what the last third of the samples took over the first") {
    std::vector<Row> rows = {timed_row("a", "64x64x64", 50, 1), timed_row("b", "64x64x64", 50, 1)};
    CHECK(contains(titles(rows), "At 64x64x64, no kernel's time drifts by more than 1.0 %."));
    for (size_t i = 20; i < 40; ++i) rows[1].time_ms[i] *= 1.03;
    rows[0].slowed_by = {"power limit"};
    CHECK(contains(
        titles(rows),
        "At 64x64x64, the times of 1 of 2 kernels drift by more than 1.0 %; the clock was held down in 1 of 2."));
    CHECK(contains(format_html(gpu_environment(), rows), "<td class=\"warn\">+3.0 %</td>"));
    for (Row& row : rows) row.time_ms.clear();
    CHECK(contains(format_html(gpu_environment(), rows), "the record holds no samples"));
}

TEST_CASE("launches tell of spills, of several kernels a call, and of occupancy") {
    Row row = timed_row("a", "64x64x64", 50, 1), other = timed_row("b", "64x64x64", 50, 1);
    const KernelLaunch launch{
        .name = "gemm<128>", .grid = {4, 2, 1}, .block = {256, 1, 1}, .registers = 128, .local_bytes = 0, .error = ""};
    row.kernels = {launch};
    other.kernels = {launch};
    CHECK(contains(titles({row, other}),
                   "Each call launches one kernel; none uses local memory, so no register is spilled."));
    const std::string page = format_html(gpu_environment(), {row, other});
    CHECK(contains(page, "gemm&lt;128&gt;"));
    CHECK(contains(page, "25 % <small>2 blocks, by registers</small>"));
    other.kernels->push_back(launch);
    other.kernels->back().local_bytes = 32;
    CHECK(contains(titles({row, other}),
                   "A call of b launches several kernels at some shape; 1 plugin uses local memory, "
                   "where spilled registers go: b."));
}

TEST_CASE("of two runs it is said what became faster, slower, right and wrong, and what else differs") {
    SavedRun earlier{"before.json",
                     gpu_environment(),
                     {timed_row("a", "64x64x64", 50, 1), timed_row("b", "64x64x64", 50, 1),
                      timed_row("c", "64x64x64", 50, 1), timed_row("gone", "64x64x64", 50, 1)}};
    earlier.environment["driver"] = "570.1";
    std::vector<Row> rows = {timed_row("a", "64x64x64", 100, 2), timed_row("b", "64x64x64", 40, 0.8),
                             timed_row("c", "64x64x64", 50, 1), timed_row("fresh", "64x64x64", 50, 1)};
    rows[0].slowdown = Interval{0.49, 0.51};
    rows[1].slowdown = Interval{1.24, 1.26};
    rows[1].regression = "24.0 % to 26.0 % slower";
    rows[2].slowdown = Interval{0.99, 1.02};
    rows[2].precision = "TF32-grade";
    CHECK(contains(
        titles(rows, earlier),
        "1 row is faster than before, 1 slower, 1 not to be told from equal; most gained: a at 64x64x64, 2.00x; "
        "most lost: b at 64x64x64, -20.0 %."));
    const std::string page = format_html(gpu_environment(), rows, earlier);
    CHECK(contains(page, "driver: 570.1 then, 580.1 now"));
    CHECK(contains(page, "ok FP32 then, <b>ok TF32-grade</b> now"));
    CHECK(contains(page, "1 row is in this run only"));
    CHECK(contains(page, "1 row is in the earlier run only"));
    CHECK(contains(page, "1 row is a regression"));
}

TEST_CASE("at more shapes than there are charts for, the table has all of them") {
    std::vector<Row> rows;
    for (int i = 1; i <= 12; ++i) rows.push_back(timed_row("a", fmt::format("{0}x{0}x{0}", 64 * i), 10, 1));
    const std::string page = format_html(gpu_environment(), rows);
    CHECK(contains(page, "<span>and 4 smaller ones: <a href=\"#shapes\">"));
    CHECK(contains(page, "<th scope=\"col\">64³</th>"));
    CHECK(contains(page, "id=\"shape-7\" checked"));
}

TEST_CASE("an error that is far past its bound is told in times, not in a percentage of many digits") {
    Row row = checked_row("10_a", "64x64x64");
    row.status = Status::wrong;
    row.rho = 1.25e6 * *row.bound;
    const std::string page = format_html(gpu_environment(), {row});
    CHECK(contains(page, ">1.2e+06 x<"));
    CHECK(!contains(page, "125000000 %"));
}

TEST_CASE("a wrong result is pictured: where in C the wrong elements lie") {
    Row row = timed_row("10_a", "20x64x64", 10, 1);
    CHECK(!contains(format_html(gpu_environment(), {row}), "<figure>"));
    row.status = Status::wrong;
    row.wrong_places = WrongPlaces{20, 64, {"..#", "5 #"}, "the last <column>", "a grid that does not cover K"};
    const std::string page = format_html(gpu_environment(), {row, row});
    CHECK(contains(page, "where C is wrong: the last &lt;column&gt;\""));
    CHECK(contains(page, "<path class=\"off\" fill-opacity=\"1\" d=\"M20 0h10v10h-10zM20 10h10v10h-10z\"/>"));
    CHECK(contains(page, "<path class=\"unseen\" d=\"M10 10h10v10h-10z\"/>"));
    CHECK(contains(page, "C is 20 x 64, a cell 2 x 2."));
    CHECK(page.find("<figure>") == page.rfind("<figure>"));  // one for a plugin
    row.wrong_places->where = kEverywhere;
    CHECK(!contains(format_html(gpu_environment(), {row}), "<figure>"));
}

TEST_CASE("the roofline shows the traffic that was measured, beside that which no kernel can do without") {
    std::vector<Row> rows = {timed_row("10_a", "64x64x64", 10, 1), timed_row("20_b", "64x64x64", 20, 2)};
    CHECK(!contains(format_html(gpu_environment(), rows), "as measured"));
    CHECK(!contains(format_html(gpu_environment(), rows), "measured, DRAM"));
    rows[1].counters.dram_bytes = 65536;
    rows[1].counters.l2_bytes = 131072;
    const std::string page = format_html(gpu_environment(), rows);
    CHECK(contains(page, "20_b at 64x64x64: 8.00 FLOP per byte of the DRAM, as measured"));
    CHECK(contains(page, "20_b at 64x64x64: 4.00 FLOP per byte of the L2 cache, as measured"));
    CHECK(contains(page, "measured, DRAM"));
    CHECK(contains(page, ">4.00<"));  // in the table, of the fastest
    rows[1].counters.l2_bytes.reset();
    CHECK(!contains(format_html(gpu_environment(), rows), "measured, L2 cache"));
}

TEST_CASE("the page has the times with copies and the counters where there are any, and else says how to get them") {
    std::vector<Row> rows = {timed_row("10_a", "64x64x64", 10, 1), timed_row("20_b", "64x64x64", 20, 2)};
    const std::string without = format_html(gpu_environment(), rows);
    CHECK(contains(without, "--host-to-host does so"));
    CHECK(contains(without, "--counters does so on a GPU"));
    rows[0].pageable = {40, 39, 2, 7};
    rows[1].pageable = {50, 49, 25, 7};
    rows[1].pinned = {30, 29, 25, 1};
    rows[1].counters = {66.5, 12, 80, 50, 1024, 4096, 8192, 4e6};
    const std::string found = titles(rows);
    CHECK(contains(found,
                   "From pageable memory and back, up to 95 % of the time is not the kernels': 10_a at 64x64x64."));
    CHECK(contains(found, "The memory system is busiest under 20_b at 64x64x64: 66 % of its peak."));
    const std::string page = format_html(gpu_environment(), rows);
    CHECK(contains(page, ">50.0 ms / 30.0 ms<"));
    CHECK(contains(page, ">1024 (25.0 %)<"));
    CHECK(contains(page, ">64.0<"));  // FLOP per byte: 2 * 64^3 over 8192 bytes
    rows[0].device = rows[1].device = Target::emulator;
    CHECK(contains(titles(rows), "The times are the CPU's, which emulates a GPU: they say nothing of one."));
}
