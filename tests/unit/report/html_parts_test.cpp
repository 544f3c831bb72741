// The parts of the page that know nothing of runs.
#include "host/report/html.h"
#include "host/report/html/chart.h"
#include "host/report/html/diff.h"
#include "host/report/html/markup.h"
#include "host/report/html/numbers.h"
#include "host/report/html/occupancy.h"
#include "host/report/html/source_file.h"
#include "host/values/json.h"
#include "tests/unit/report/html_run.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

TEST_CASE("text is escaped, and code keeps its blanks") {
    CHECK(html::text("a<b>&\"c'\n d") == "a&lt;b&gt;&amp;&quot;c&#39; d");
    CHECK(html::text(std::string(50, 'x'), 10) == "xxxxxxxxxx ...");
    CHECK(html::code("    if (a  <  b)  {") == "    if (a  &lt;  b)  {");
    CHECK(html::code("") == "");
    CHECK(html::code("   ") == "   ");
}

TEST_CASE("figures have three digits and a unit that keeps them short") {
    CHECK(html::three_digits(99.94) == "99.9");
    CHECK(html::three_digits(99.96) == "100");
    CHECK(html::duration(0.0123) == "12.3 us");
    CHECK(html::duration(12.3) == "12.3 ms");
    CHECK(html::duration(1234) == "1.23 s");
    CHECK(html::percent(0.0312) == "3.1 %");
    CHECK(html::percent(0.87) == "87 %");
    CHECK(html::change(1.031) == "+3.1 %");
    CHECK(html::change(0.99999) == "+0.0 %");
    CHECK(html::change(2.2) == "2.20x");
}

TEST_CASE("an axis has round numbers, within its range") {
    const html::Scale linear(0, 66.9, 100, 900), logarithmic(0.5, 200, 100, 900, true);
    CHECK(linear.ticks(8) == std::vector<double>{0, 10, 20, 30, 40, 50, 60});
    CHECK(logarithmic.ticks(8) == std::vector<double>{0.5, 1, 2, 5, 10, 20, 50, 100, 200});
    CHECK(linear(0) == 100);
    CHECK(linear(1e9) == 900);
    CHECK(logarithmic(10) == Approx(500));
    CHECK(html::log_scale({}, 0, 1).ticks(3).size() >= 2);
    CHECK(!html::log_scale({0, -1, INFINITY, 5}, 0, 1).ticks(3).empty());
}

TEST_CASE("a difference is the least number of lines removed and added") {
    const auto lines = html::diff({"a", "b", "c", "d"}, {"a", "c", "x", "d"});
    std::string kinds;
    for (const html::DiffLine& line : lines) kinds += line.kind + line.text;
    CHECK(kinds == " a-b c+x d");
    CHECK(html::diff({}, {"a"}).size() == 1);
    CHECK(html::diff(std::vector<std::string>(5000, "a"), {"a"}).size() == 5001);
}

TEST_CASE("occupancy is by what runs out first") {
    const auto of = [](unsigned threads, std::optional<int> registers, uint64_t shared, int capability) {
        KernelLaunch launch;
        launch.block = {threads, 1, 1};
        launch.registers = registers;
        launch.shared_bytes = shared;
        return html::occupancy(launch, capability);
    };
    CHECK(of(256, 32, 0, 90)->part == 1);
    CHECK(of(256, 128, 0, 90)->blocks == 2);  // 64 Ki / (128 * 256)
    CHECK(std::string(of(256, 128, 0, 90)->limit) == "registers");
    CHECK(of(384, 168, 200'000, 90)->blocks == 1);
    CHECK(of(128, 32, 50'000, 90)->blocks == 4);  // of 228 KiB, with 1 KiB for the system each
    CHECK(std::string(of(128, 32, 50'000, 90)->limit) == "shared memory");
    CHECK(of(32, 16, 0, 90)->blocks == 32);
    CHECK(of(1024, 32, 0, 86)->part == Approx(2.0 / 3));  // one of 1024 in 1536
    CHECK(of(1024, 64, 0, 75)->part == 1);
    CHECK(!of(256, 32, 0, 61));
    CHECK(!of(0, 32, 0, 90));
    CHECK(!of(1024, 255, 0, 90));
    CHECK(!of(256, std::nullopt, 0, 90));
}

TEST_CASE("a library's source is found by the compiler's list, or beside it") {
    const TemporaryDirectory directory;
    write_file(directory / "plugins" / "a.cu", "// a\nint a;\n");
    write_file(directory / "build" / "a.so", "library");
    write_file(directory / "build" / "a.d", "build/a.so: plugins/a.cu \\\n other.h\n");
    CHECK(html::find_source(directory / "build" / "a.so", "").text == "// a\nint a;\n");
    for (const char* list : {"build/a.so : plugins/a.cu \\\n other.h\n", "build/a.so: \\\n plugins/a.cu other.h\n"}) {
        write_file(directory / "build" / "a.d", list);
        CHECK(html::find_source(directory / "build" / "a.so", "").text == "// a\nint a;\n");
    }
    CHECK(contains(html::find_source(directory / "build" / "a.so", "0123").note, "was built anew after this run"));
    fs::last_write_time(directory / "plugins" / "a.cu",
                        fs::last_write_time(directory / "build" / "a.so") + std::chrono::hours(1));
    CHECK(contains(html::find_source(directory / "build" / "a.so", "").note, "changed after the library was built"));

    write_file(directory / "b.so", "library");
    CHECK(html::find_source(directory / "b.so", "").file.empty());
    CHECK(contains(html::find_source(directory / "b.so", "").note, "is not found"));
    write_file(directory / "b.cpp", "int b;\n");
    CHECK(html::find_source(directory / "b.so", "").text == "int b;\n");
    CHECK(html::find_source(directory / "b.cpp", "0123").note.empty());  // a source that was named itself
}

TEST_CASE("a source is shown with what it changes against the rung that its comment names") {
    const TemporaryDirectory directory;
    const auto rung = [&](const std::string& name, const std::string& source) {
        write_file(directory / (name + ".cu"), source);
        write_file(directory / (name + ".so"), "library");
        Row row = checked_row(name, "64x64x64");
        row.path = directory / (name + ".so");
        return row;
    };
    const std::vector<Row> rows = {rung("10_a", "// naive\none();\ntwo();\n"), rung("20_b", "other();\n"),
                                   rung("30_c", "// naive\n// Against 10: more\none();\nthree<4>();\n")};
    const std::string page = format_html(gpu_environment(), rows);
    check_page(page);
    CHECK(contains(headings(page), "The sources of 3 of 3 libraries; 2 are shown against a lower rung."));
    CHECK(contains(page, "against <bdi>10_a</bdi>, which its first comment names: 2 lines added, 1 removed"));
    CHECK(contains(page, "<ins>// Against 10: more\n</ins>one();\n<del>two();\n</del><ins>three&lt;4&gt;();\n</ins>"));
    CHECK(contains(
        page,
        "against <bdi>10_a</bdi>, the rung before it in this run: 1 line added, 3 removed (most of it: not shown)"));
    fs::remove(directory / "20_b.cu");
    CHECK(contains(format_html(gpu_environment(), rows), "Not found: the sources of <bdi>20_b</bdi>."));
}
