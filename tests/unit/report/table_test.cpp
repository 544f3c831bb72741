#include "host/report/table.h"

#include <algorithm>
#include <regex>

#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

const Json kTableOfCpu = {{"device", nullptr},
                          {"driver", nullptr},
                          {"cuda", nullptr},
                          {"processor", "Some Processor"},
                          {"cores", 16},
                          {"date", "2024-05-06T07:08:09Z"},
                          {"operation", "C[M x K] = A[M x N] * B[N x K]"},
                          {"seed", 42},
                          {"data", "uniform"}};
const Json kTableOfGpu = {{"device", "Some GPU"},
                          {"driver", "580.1"},
                          {"cuda", "13.0"},
                          {"processor", "Some Processor"},
                          {"cores", 16},
                          {"date", "2024-05-06T07:08:09Z"},
                          {"operation", "C[M x K] = A[M x N] * B[N x K]"},
                          {"seed", 42},
                          {"data", "uniform"}};

Row ok_row(const std::string& plugin, const std::string& shape = "256x256x256") {
    Row row;
    row.plugin = plugin;
    row.device = Target::cpu;
    row.arithmetic = "FP32";
    row.precision = "FP32";
    row.normwise = 2.5e-7;
    row.allclose = true;
    row.deterministic = true;
    row.shape = shape;
    row.status = Status::ok;
    row.max_error = 1.25e-5;
    row.rho = 3.5;
    row.bound = 144;
    return row;
}

Row timed_row(const std::string& plugin, double ms, double deviation_ms, double tflops) {
    Row row = ok_row(plugin);
    row.mean_ms = row.median_ms = ms;
    row.deviation_ms = deviation_ms;
    row.tflops = tflops;
    row.cold_median_ms = 2 * ms;
    row.baseline = "90_openblas";
    row.error_ratio = 1.75;
    row.ratio = 0.5;
    row.ratio_interval = Interval{0.495, 0.51};
    return row;
}

Row bad_row(const std::string& plugin, Status status, const std::string& message) {
    Row row = ok_row(plugin);
    row.status = status;
    row.message = message;
    row.max_error = row.rho = row.bound = row.normwise = std::nullopt;
    row.allclose = row.deterministic = std::nullopt;
    row.precision.clear();
    return row;
}

// Rows of every kind that share a block.
std::vector<Row> varied_rows() {
    std::vector<Row> rows = {
        timed_row("00_serial", 12345.6, 100, 0.0027),
        timed_row("40_tile", 0.0123, 0.0001, 51.23),
        timed_row("90_openblas", 999.0, 999.0, 678.9),
        bad_row("a_plugin_with_a_rather_long_name", Status::input_modified, "changed its inputs"),
        bad_row("x", Status::unsupported, "needs a GPU"),
        ok_row("checked"),
    };
    rows[1].sampled = true;
    Row wrong = bad_row("off", Status::wrong, "3 wrong of 65536 elements");
    wrong.max_error = 1234.5;
    wrong.rho = 12345678.0;
    wrong.bound = 144;
    wrong.precision = "TF32-grade";
    wrong.allclose = false;
    rows.push_back(wrong);
    Row emulated = ok_row("emulated");
    emulated.device = Target::emulator;
    emulated.precision = "FP32-emulated";
    rows.push_back(emulated);
    return rows;
}

std::string line_with(const std::string& text, const std::string& part) {
    for (const std::string& line : lines_of(text)) {
        if (contains(line, part)) return line;
    }
    FAIL("no line holds " << part);
    return {};
}

std::string without_escapes(const std::string& text) {
    return std::regex_replace(text, std::regex("\033\\[[0-9;]*m"), "");
}

}  // namespace

TEST_CASE("the table says where, when and with what seed it was made, and which letter is which size") {
    const std::string on_cpu = format_table(kTableOfCpu, {ok_row("a")});
    CHECK(contains(on_cpu, "Some Processor, 16 cores, 2024-05-06T07:08:09Z, uniform data, seed 42\n"));
    CHECK(contains(on_cpu, "C[M x K] = A[M x N] * B[N x K]"));
    const std::string on_gpu = format_table(kTableOfGpu, {ok_row("a")});
    CHECK(contains(on_gpu, "Some GPU, driver 580.1, CUDA 13.0, 2024-05-06T07:08:09Z, uniform data, seed 42\n"));
}

TEST_CASE("the columns of a block begin and end below their headings") {
    const std::vector<Row> rows = varied_rows();
    const std::vector<std::string> lines = lines_of(format_table(kTableOfCpu, rows));
    const auto heading = std::find_if(lines.begin(), lines.end(),
                                      [](const std::string& line) { return contains(line, "256x256x256  "); });
    REQUIRE(heading != lines.end());
    REQUIRE(lines.end() - heading > long(rows.size()));
    for (const Row& row : rows) {
        const auto found = std::find_if(
            heading + 1, lines.end(), [&](const std::string& line) { return contains(line, " " + row.plugin + " "); });
        REQUIRE(found != lines.end());
        const std::string line = *found;
        CAPTURE(*heading, line);
        CHECK(column_of(line, row.plugin) == 4);
        CHECK(column_of(line, " " + to_string(row.device) + " ") == column_of(*heading, " device"));
        const std::string precision = row.precision.empty() ? row.arithmetic + "?" : row.precision;
        CHECK(column_of(line, "  " + precision + " ") == column_of(*heading, "  class"));
        CHECK(column_of(line + " ", " " + to_string(row.status) + " ") == column_of(*heading, " status"));
        if (row.rho) {
            const std::string bound = row.sampled ? " /  144*" : " /  144";
            CHECK(end_column_of(line, bound) == end_column_of(*heading, "rho / bound") - !row.sampled);
        }
        if (row.allclose) {
            CHECK(end_column_of(line, *row.allclose ? " yes" : " no") == end_column_of(*heading, " 1e-3"));
        }
        if (row.error_ratio) CHECK(end_column_of(line, " 1.75") == end_column_of(*heading, "x base"));
        if (row.median_ms) {
            CHECK(end_column_of(line, " 0.500") == end_column_of(*heading, "TFLOP/s") + 2 + 6);
            CHECK(line.ends_with(" [0.495, 0.510]"));
            CHECK(column_of(line, "±") == column_of(*heading, "±"));
        }
        CHECK(line.back() != ' ');
    }
}

TEST_CASE("speeds have columns only in a block where something was timed") {
    const std::string untimed = format_table(kTableOfCpu, {ok_row("a")});
    CHECK(!contains(untimed, "TFLOP/s"));
    CHECK(!contains(untimed, "cold"));
    Row alone = timed_row("a", 1.5, 0.03, 2.25);
    alone.ratio.reset();
    alone.baseline.clear();
    const std::string without_baseline = format_table(kTableOfCpu, {alone});
    CHECK(contains(without_baseline, "TFLOP/s\n"));
    CHECK(!contains(without_baseline, "x 90_openblas"));
    CHECK(contains(format_table(kTableOfCpu, {timed_row("a", 1.5, 0.03, 2.25)}), "TFLOP/s  x 90_openblas [95 %]\n"));
}

TEST_CASE("times are shown in the unit that keeps them readable, with the deviation in percent") {
    const auto line_for = [](double ms, double deviation_ms, double tflops) {
        return line_with(format_table(kTableOfCpu, {timed_row("a", ms, deviation_ms, tflops)}), " a ");
    };
    CHECK(contains(line_for(0.0125, 0.00025, 51.23), "12.5 us ± 2.0%"));
    CHECK(contains(line_for(1.5, 0.15, 51.23), "1.50 ms ± 10.0%"));
    CHECK(contains(line_for(150, 0, 51.23), "150 ms ± 0.0%"));
    CHECK(contains(line_for(2500, 25, 51.23), "2.50 s ± 1.0%"));
    CHECK(contains(line_for(1, 0, 51.23), "  51.2  "));
    CHECK(contains(line_for(1, 0, 0.123), "  0.123  "));
}

TEST_CASE("a cold call has its column, and so have hot ones") {
    Row row = timed_row("a", 1.5, 0.15, 51.23);
    row.cold_median_ms = 0.777;
    const std::string table = format_table(kTableOfCpu, {row});
    const std::string heading = line_with(table, "TFLOP/s"), line = line_with(table, " a ");
    CHECK(end_column_of(line, "777 us") == end_column_of(heading, "cold"));
    CHECK(end_column_of(line, "1.50 ms") == end_column_of(heading, "hot"));
}

TEST_CASE("a ratio whose interval holds 1 is about equal, and one without an interval claims none") {
    const auto line_for = [](double ratio, std::optional<Interval> interval) {
        Row row = timed_row("a", 1.5, 0.15, 51.23);
        row.ratio = ratio;
        row.ratio_interval = interval;
        return line_with(format_table(kTableOfCpu, {row}), " a ");
    };
    CHECK(line_for(1.004, Interval{0.998, 1.01}).ends_with(" 1.004 [0.998, 1.010] ≈"));
    CHECK(line_for(1.004, Interval{1.001, 1.01}).ends_with(" 1.004 [1.001, 1.010]"));
    CHECK(line_for(0.99, Interval{0.985, 0.999}).ends_with(" 0.990 [0.985, 0.999]"));
    CHECK(line_for(1, std::nullopt).ends_with(" 1.000"));
}

TEST_CASE("below the table: which entries another operation judges") {
    std::vector<Row> rows = {ok_row("a"), ok_row("a"), ok_row("b"), ok_row("c"), ok_row("d"), ok_row("e")};
    CHECK(!contains(format_table(kTableOfGpu, rows), "not judged"));
    for (size_t i = 0; i < 3; ++i) rows[i].not_judged = {"solve_gemm"};
    CHECK(contains(format_table(kTableOfGpu, rows), "\nnot judged: solve_gemm of a, b, which --op gemm:NN judges\n"));
    for (size_t i = 3; i < 6; ++i) rows[i].not_judged = {"solve_gemm", "solve_chain"};
    const std::string of_more = format_table(kTableOfGpu, rows);
    CHECK(contains(of_more, "\nnot judged: solve_gemm of 5 plugins, which --op gemm:NN judges\n"));
    CHECK(contains(of_more, "\nnot judged: solve_chain of c, d, e, which --op chain judges\n"));
}

TEST_CASE("below the table: what is slower than it was, and what held the GPU's clock down") {
    Row slower = timed_row("40_tile", 1.5, 0.15, 51.23), hot = timed_row("60_warp", 1.5, 0.15, 51.23);
    slower.regression = "3.9 % to 4.1 % slower than in base.json";
    slower.slowed_by = {"power limit"};
    hot.slowed_by = {"hardware thermal limit", "power limit"};
    const std::string table = format_table(kTableOfGpu, {slower, hot});
    CHECK(contains(table, "\nslower 40_tile (cpu) at 256x256x256: 3.9 % to 4.1 % slower than in base.json\n"));
    CHECK(!contains(table, "slower 60_warp"));
    CHECK(contains(table,
                   "\nthe GPU's clock was held down at times: hardware thermal limit\n"
                   "the GPU's clock was held down at times: power limit\n"));
    CHECK(!contains(format_table(kTableOfGpu, {ok_row("a")}), "held down"));
}

TEST_CASE("each kind of failure is followed by what to do about it, once") {
    const std::string table = format_table(
        kTableOfCpu, {ok_row("a"), bad_row("b", Status::not_written, "x"), bad_row("c", Status::not_written, "y")});
    const size_t step = table.find("\nnot-written: every element of C is to be stored");
    REQUIRE(step != std::string::npos);
    CHECK(table.find("\nnot-written: ", step + 1) == std::string::npos);
    CHECK(contains(format_table(kTableOfCpu, {bad_row("b", Status::timed_out, "x")}), "\ntimed-out: --timeout S"));
    CHECK(!contains(format_table(kTableOfCpu, {ok_row("a")}), "ok: "));
}

TEST_CASE("a tick for what is ok, a cross for what is not, a dash for what was not run") {
    const std::string table = format_table(kTableOfCpu, varied_rows());
    CHECK(contains(table, "  ✓ 00_serial "));
    CHECK(contains(table, "  ✓ checked "));
    CHECK(contains(table, "  ✗ off "));
    CHECK(contains(table, "  ✗ a_plugin_with_a_rather_long_name "));
    CHECK(contains(table, "  - x "));
}

TEST_CASE("a limited row is marked, and followed by what may be done about it") {
    Row row = timed_row("tiles", 1, 0.1, 2);
    row.status = Status::limited;
    row.message = "right where M, N, K are multiples of 32";
    const std::string text = format_table(kTableOfCpu, {ok_row("a"), row});
    CHECK(contains(text, "  ! tiles "));
    CHECK(contains(text, "! tiles (cpu) at 256x256x256: limited: right where M, N, K are multiples of 32\n"));
    CHECK(contains(text, "\nlimited: right at the shapes asked for, not in general; --allow-limited"));
    CHECK(contains(text, " 0.500 [0.495, 0.510]"));
    CHECK(contains(text, "1 ok, 1 limited\n"));
}

TEST_CASE("each row that has a message is explained below the table") {
    const std::string table = format_table(kTableOfCpu, varied_rows());
    CHECK(contains(table, "\n✗ off (cpu) at 256x256x256: wrong: 3 wrong of 65536 elements\n"));
    CHECK(contains(table, "\n- x (cpu) at 256x256x256: unsupported: needs a GPU\n"));
    CHECK(!contains(table, "✓ checked (cpu)"));
    Row unloaded = bad_row("broken", Status::load_error, "undefined symbol: f");
    unloaded.shape.clear();
    const std::string not_run = format_table(kTableOfCpu, {unloaded});
    CHECK(contains(not_run, "\n✗ broken (cpu): load-error: undefined symbol: f\n"));
    CHECK(contains(not_run, "\n(not run)"));
}

TEST_CASE("a block a shape, in the order in which the shapes came") {
    const std::string table = format_table(kTableOfCpu, {ok_row("a", "512x512x512"), ok_row("a", "8x8x8"),
                                                         ok_row("b", "512x512x512"), ok_row("b", "8x8x8")});
    const size_t first = table.find("\n512x512x512"), second = table.find("\n8x8x8");
    REQUIRE(first != std::string::npos);
    REQUIRE(second != std::string::npos);
    CHECK(first < second);
    CHECK(table.find("\n512x512x512", first + 1) == std::string::npos);
    const std::string block = table.substr(first, second - first);
    CHECK(contains(block, "✓ a "));
    CHECK(contains(block, "✓ b "));
    CHECK(lines_of(block).size() == 4);  // a blank one, the heading and two rows
}

TEST_CASE("the classes of a shape come one after the other, each in the order in which its rows came") {
    std::vector<Row> rows;
    for (const auto& [plugin, precision] :
         std::vector<std::pair<std::string, std::string>>{{"first", "TF32-grade"},
                                                          {"second", "FP32"},
                                                          {"third", "wrong"},
                                                          {"fourth", ""},
                                                          {"fifth", "FP32"},
                                                          {"sixth", "normwise-only"},
                                                          {"seventh", "FP32-emulated"},
                                                          {"eighth", "BF16-grade"}}) {
        rows.push_back(ok_row(plugin));
        rows.back().precision = precision;
    }
    const std::string table = format_table(kTableOfCpu, rows);
    size_t last = 0;
    for (const char* plugin : {"second", "fifth", "seventh", "first", "eighth", "sixth", "third", "fourth"}) {
        CAPTURE(plugin);
        const size_t at = table.find(std::string(" ") + plugin + " ");
        REQUIRE(at != std::string::npos);
        CHECK(at > last);
        last = at;
    }
}

TEST_CASE("a claim that was not measured has a question mark, with a footnote") {
    Row claimed = ok_row("a");
    claimed.precision.clear();
    claimed.arithmetic = "TF32";
    const std::string table = format_table(kTableOfCpu, {claimed, ok_row("b")});
    CHECK(contains(line_with(table, " a "), " TF32? "));
    CHECK(!contains(line_with(table, " b "), "?"));
    CHECK(contains(table, "\n? what the plugin claims"));
    CHECK(!contains(format_table(kTableOfCpu, {ok_row("b")}), "?"));
}

TEST_CASE("what is not deterministic is marked beside its status, with a footnote") {
    Row wavering = ok_row("a");
    wavering.deterministic = false;
    const std::string table = format_table(kTableOfCpu, {wavering, ok_row("b")});
    CHECK(contains(line_with(table, " a "), " ok ~ "));
    CHECK(!contains(line_with(table, " b "), "~"));
    CHECK(contains(table, "\n~ equal calls"));
    CHECK(!contains(format_table(kTableOfCpu, {ok_row("b")}), "~"));
}

TEST_CASE("the normwise error has a column until there is an error ratio") {
    const std::string without = format_table(kTableOfCpu, {ok_row("a")});
    CHECK(!contains(without, "x base"));
    CHECK(end_column_of(line_with(without, " a "), " 2.5e-07") ==
          end_column_of(line_with(without, "status"), "normwise"));
    Row raced = ok_row("raced");
    raced.error_ratio = 3.14159;
    const std::string with = format_table(kTableOfCpu, {ok_row("a"), raced});
    CHECK(!contains(line_with(with, "status"), "normwise"));
    CHECK(end_column_of(line_with(with, " raced "), " 3.14") == end_column_of(line_with(with, "status"), "x base"));
    CHECK(contains(with, "\nx base: "));
}

TEST_CASE("the old criterion says yes or no where it refuses something, with a footnote") {
    Row far = ok_row("far");
    far.allclose = false;
    const std::string table = format_table(kTableOfCpu, {ok_row("a"), far});
    CHECK(line_with(table, " a ").ends_with("  2.5e-07   yes"));
    CHECK(line_with(table, " far ").ends_with("  2.5e-07    no"));
    CHECK(contains(table, "\n1e-3: "));
    CHECK(!contains(format_table(kTableOfCpu, {ok_row("a")}), "1e-3"));
}

TEST_CASE("a line with every column fits into 160 characters") {
    Row longest = timed_row("22_shared_tile_padded", 123, 12.3, 678.9);
    longest.device = Target::cuda;
    longest.baseline = "00_cublas_fp32";
    longest.precision = "FP32-emulated";
    longest.bound = 12345;
    longest.allclose = false;
    longest.ratio_interval->high = 1.01;  // about equal
    const std::string table = format_table(kTableOfGpu, {longest});
    CHECK(contains(table, "\n≈ about equal"));
    CHECK(characters(line_with(table, " 22_shared")).size() <= 160);
    CHECK(characters(line_with(table, "TFLOP/s")).size() <= 160);
}

TEST_CASE("a column stands in the same place in every block, without a heading where it is empty") {
    Row other = timed_row("a", 1.5, 0.03, 2.25);
    other.shape = "8x8x8";
    const std::string table = format_table(kTableOfCpu, {ok_row("a"), other});
    CHECK(column_of(line_with(table, "256x256x256"), "rho") == column_of(line_with(table, "8x8x8  "), "rho"));
    CHECK(!contains(line_with(table, "256x256x256"), "TFLOP/s"));
}

TEST_CASE("a sampled row is starred, with a footnote that says what it means") {
    Row sampled = ok_row("a");
    sampled.sampled = true;
    const std::string table = format_table(kTableOfCpu, {sampled, ok_row("b")});
    CHECK(contains(line_with(table, "✓ a "), "144*"));
    CHECK(!contains(line_with(table, "✓ b "), "*"));
    CHECK(contains(table, "\n* 128 rows compared"));
    CHECK(!contains(format_table(kTableOfCpu, {ok_row("b")}), "Freivalds"));
}

TEST_CASE("the last line counts each status") {
    const std::vector<std::string> lines = lines_of(format_table(kTableOfCpu, varied_rows()));
    CHECK(lines.back() == "5 ok, 1 wrong, 1 input-modified, 1 unsupported");
}

TEST_CASE("colours are added on demand, and change nothing else") {
    const std::string plain = format_table(kTableOfCpu, varied_rows());
    const std::string coloured = format_table(kTableOfCpu, varied_rows(), {.colour = true});
    CHECK(!contains(plain, "\033"));
    CHECK(contains(coloured, "\033[32m✓\033[0m"));
    CHECK(contains(coloured, "\033[31m✗\033[0m"));
    CHECK(without_escapes(coloured) == plain);
}

TEST_CASE("a table of no rows is still a table") {
    CHECK_NOTHROW(format_table(kTableOfCpu, {}));
}

TEST_CASE("every column that is shown is explained below the table, and no other") {
    const std::string table = format_table(kTableOfGpu, {timed_row("a", 1.5, 0.15, 51.23)});
    for (const char* part : {"\ndevice: ", "\nclass: ", "\nstatus: ", "\nmax error: ", "\nrho / bound: ", "\nx base: ",
                             "\ncold: ", "\nhot: ", "\n± sd: ", "\nTFLOP/s: ", "\nx 90_openblas [95 %]: "}) {
        CAPTURE(part);
        CHECK(contains(table, part));
    }
    CHECK(!contains(table, "\nnormwise: "));
    CHECK(!contains(format_table(kTableOfGpu, {ok_row("a")}), "\nhot: "));
}

TEST_CASE("the time and TFLOP/s are of the same statistic: the median, not the mean") {
    Row row = timed_row("a", 2.0, 0.1, 51.23);
    row.mean_ms = 3.0;
    const std::string line = line_with(format_table(kTableOfGpu, {row}), " a ");
    CHECK(contains(line, " 2.00 ms "));
    CHECK(!contains(line, "3.00"));
    row.loops = 5;
    CHECK(contains(format_table(kTableOfGpu, {row}, {.columns = parse_columns("mean")}),
                   "3.00 ms ± 100 us of 0 runs, 5"));
}

TEST_CASE("the columns that were asked for are shown, in their order") {
    Row row = timed_row("a", 1.5, 0.15, 51.23);
    const std::string table = format_table(kTableOfGpu, {row}, {.columns = parse_columns("tflops,class")});
    const std::string heading = line_with(table, "256x256x256  ");
    CHECK(heading == "256x256x256       TFLOP/s  class");
    CHECK(line_with(table, " a ") == "  ✓ a                51.2  FP32");
}

TEST_CASE("rows are sorted as asked for") {
    const std::vector<Row> rows = {timed_row("slow", 3, 0.1, 1), timed_row("fast", 1, 0.1, 3)};
    const std::string as_run = format_table(kTableOfGpu, rows),
                      by_speed = format_table(kTableOfGpu, rows, {.sort = Sort::speed});
    CHECK(as_run.find(" slow ") < as_run.find(" fast "));
    CHECK(by_speed.find(" slow ") > by_speed.find(" fast "));
}

TEST_CASE("at 80 columns no line of the table is longer, and what was left out is said") {
    std::vector<Row> rows = varied_rows();
    for (Row& row : rows) row.baseline = row.ratio ? "00_cublas_fp32" : "";
    rows[1].ratio_interval = Interval{0.495, 1.01};
    const std::string table = format_table(kTableOfGpu, rows, {.width = 80});
    const size_t begin = table.find("\n256x256x256"), end = table.find("\n\n", begin);
    REQUIRE(end != std::string::npos);
    for (const std::string& line : lines_of(table.substr(begin, end - begin))) {
        CAPTURE(line);
        CHECK(characters(line).size() <= 80);
    }
    CHECK(contains(table, " TFLOP/s "));
    CHECK(contains(table, " a_plugi…ame "));
    CHECK(contains(table, "\nnot shown in 80 columns of text: allclose, "));
    CHECK(!contains(format_table(kTableOfGpu, rows), "…"));
    CHECK(!contains(format_table(kTableOfGpu, rows), "not shown"));
}

TEST_CASE("a column that was asked for by name stays on a narrow terminal") {
    const std::string table = format_table(kTableOfGpu, {timed_row("a", 1.5, 0.15, 51.23)},
                                           {.width = 80, .columns = parse_columns("+normwise")});
    CHECK(contains(table, "normwise"));
}
