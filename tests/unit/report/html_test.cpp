#include "host/report/html.h"

#include <zlib.h>

#include <random>

#include "host/values/json.h"
#include "tests/unit/report/html_run.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// What names such a thing does to a page: tags, attributes, entities, directions, length.
const std::string kHostile =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&lt;\u202Eabc\u05D0\u05D1" +
    std::string(10'000, 'x') + "\xff\x01</title></svg>";

std::vector<Row> ladder(int kernels, const std::vector<std::string>& shapes) {
    std::vector<Row> rows;
    for (int i = 0; i < kernels; ++i) {
        for (const std::string& shape : shapes) {
            rows.push_back(timed_row(fmt::format("{}_kernel", 10 + i), shape, 10 + i, 0.5 + 0.05 * i));
            rows.back().kernels = {{.name = "kernel<128>",
                                    .grid = {8, 8, 1},
                                    .block = {256, 1, 1},
                                    .shared_bytes = 4096,
                                    .registers = 64,
                                    .local_bytes = 0,
                                    .error = ""}};
        }
    }
    return rows;
}

const std::vector<std::string> kShapes = {"512x512x512",    "1024x1024x1024", "2048x2048x2048", "4096x4096x4096",
                                          "8192x8192x8192", "1000x777x3000",  "1x4096x4096",    "100x200x300"};

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
    return found;
}

std::string unpacked(const std::string& base64) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0, have = 0;
    for (const char c : base64) {
        if (c == '=') break;
        bits = bits << 6 | unsigned(digits.find(c));
        if ((have += 6) >= 8) bytes += char(bits >> (have -= 8) & 0xff);
    }
    std::string text(1 << 22, '\0');
    z_stream stream{};
    REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_in = uInt(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = uInt(text.size());
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

Json record_in(const std::string& page) {
    const std::string mark = "href=\"data:application/gzip;base64,";
    const size_t at = page.find(mark);
    REQUIRE(at != std::string::npos);
    return Json::parse(unpacked(page.substr(at + mark.size(), page.find('"', at + mark.size()) - at - mark.size())));
}

}  // namespace

TEST_CASE("a page is one well-formed file that fetches nothing, with a section for everything that there is") {
    const std::string page = format_html(gpu_environment(), ladder(3, kShapes));
    check_page(page);
    for (const char* section : {"verdicts", "staircase", "roofline", "ratios", "shapes", "accuracy", "samples",
                                "launches", "rows", "conditions"}) {
        CAPTURE(section);
        CHECK(contains(page, fmt::format("<section id=\"{}\"", section)));
        CHECK(contains(page, fmt::format("<a href=\"#{}\">", section)));
    }
    CHECK(contains(page, "Some GPU, driver 580.1, CUDA 13.0"));
    CHECK(contains(page, "compare --html x.html"));
    CHECK(contains(page, "prefers-color-scheme: dark"));
    CHECK(contains(page, "@media print"));
    CHECK(count(page, "<script") == 1);
    CHECK(contains(page, "Content-Security-Policy"));
}

TEST_CASE("a page without rows is one, too, and says so") {
    const std::string page = format_html(gpu_environment(), {});
    check_page(page);
    CHECK(contains(page, "No row is finished yet."));
    check_page(format_html(Json::object(), {}));
}

TEST_CASE("names, messages and facts of others stay text") {
    std::vector<Row> rows;
    for (const char* shape : {"64x64x64", "8x8x8"}) {
        rows.push_back(timed_row(kHostile, shape, 12, 2));
        Row& row = rows.back();
        row.baseline = row.message = row.precision = row.path = row.sha256 = row.regression = kHostile;
        row.slowed_by = {kHostile};
        row.kernels = {{.name = kHostile, .block = {1, 1, 1}, .registers = 8, .local_bytes = 8, .error = kHostile}};
        rows.push_back(row);
        rows.back().shape = kHostile;
        rows.back().status = Status::crashed;
    }
    Json environment = gpu_environment();
    for (const char* key : {"device", "command", "date", "operation"}) environment[key] = kHostile;
    environment[kHostile] = kHostile;
    for (const auto& earlier : {std::optional<SavedRun>(), std::optional(SavedRun{kHostile, environment, rows})}) {
        for (Row& row : rows) row.slowdown = Interval{0.5, 0.6};
        const std::string page = format_html(environment, rows, earlier);
        check_page(page);
        CHECK(count(page, "<script") == 1);
        CHECK(count(page, "</script") == 1);
        CHECK(!contains(page, "<img"));
        CHECK(!contains(page, "\u202E"));
        CHECK(contains(page, "&lt;/script&gt;&lt;script&gt;alert(1)"));
        CHECK(page.size() < 500'000);
    }
}

TEST_CASE("a record of another program, whose fields are of other types, makes a page all the same") {
    const Json environment = {{"device", 3},           {"compute_capability", "ninety"},
                              {"fp32_tflops", "many"}, {"memory_gb_s", -1},
                              {"command", nullptr},    {"seed", {1, 2}}};
    Row odd = timed_row("a", "no shape", 10, 1);
    odd.tflops = odd.ratio = odd.normwise = INFINITY;
    odd.time_ms = {0, -1, 2};
    Row zero = timed_row("b", "0x0x0", 10, 1);
    zero.ratio = zero.cold_ratio = 0;
    zero.ratio_interval = Interval{0, 0};
    check_page(format_html(environment, {odd, zero}));
    check_page(format_html(environment, {zero}));
}

TEST_CASE("the whole ladder at many shapes stays below 1 MB") {
    const auto rows = ladder(50, kShapes);
    const std::string page = format_html(gpu_environment(), rows);
    check_page(page);
    CHECK(page.size() < 1'000'000);
    CHECK(record_in(page).at("rows").size() == rows.size());
}

TEST_CASE("the record that a page holds is the run, with its samples where these fit") {
    auto rows = ladder(2, {"64x64x64"});
    const Json small = record_in(format_html(gpu_environment(), rows));
    CHECK(small.at("environment") == gpu_environment());
    REQUIRE(small.at("rows").size() == 2);
    const Row row = small.at("rows").at(1).get<Row>();
    CHECK(row.plugin == "11_kernel");
    CHECK(row.time_ms.size() == 40);
    CHECK(std::abs(row.time_ms[1] / rows[1].time_ms[1] - 1) < 1e-5);

    rows = ladder(10, kShapes);
    std::mt19937 random(1);
    for (Row& each : rows) {
        each.time_ms.resize(3200);
        for (double& sample : each.time_ms) sample = 1 + 1e-7 * double(random() % 9'999'991);
    }
    const std::string page = format_html(gpu_environment(), rows);
    CHECK(page.size() < 1'000'000);
    CHECK(contains(page, "without its samples"));
    CHECK(record_in(page).at("rows").at(0).at("time_ms").empty());
}

TEST_CASE("an emulator's run has verdicts, errors and classes, and says why it has no speed") {
    std::vector<Row> rows = {checked_row("10_naive", "64x64x64"), checked_row("74_mma", "64x64x64"),
                             checked_row("12_wrong", "64x64x64")};
    for (Row& row : rows) row.device = Target::emulator;
    rows[1].precision = "TF32-grade";
    rows[1].normwise = 3e-4;
    rows[2].status = Status::wrong;
    rows[2].message = "42 wrong of 42 elements";
    const std::string page = format_html(gpu_environment(), rows);
    check_page(page);
    CHECK(contains(headings(page), "2 of 3 rows right, 1 not."));
    CHECK(contains(headings(page), "3 kernels: 2 FP32, 1 TF32-grade."));
    CHECK(contains(page, "42 wrong of 42 elements"));
    CHECK(contains(page, "<section id=\"accuracy\""));
    CHECK(!contains(page, "<section id=\"staircase\""));
    CHECK(contains(
        page,
        "The staircase, Roofline, Against the baseline, Shape by shape, Samples, block by block: every row that "
        "is right ran in the emulator"));
}

TEST_CASE("the file is written as often as there are rows, whole, and a directory that is missing is named") {
    const TemporaryDirectory directory;
    const auto write = html_writer(directory / "x.html", gpu_environment(), std::nullopt);
    write({});
    CHECK(contains(read_file(directory / "x.html"), "No row is finished yet."));
    write(ladder(1, {"8x8x8"}));
    CHECK(contains(read_file(directory / "x.html"), "10_kernel"));
    const auto nowhere = html_writer(directory / "missing" / "x.html", gpu_environment(), std::nullopt);
    CHECK(contains(message_thrown_by<std::system_error>([&] { nowhere({}); }), "--html"));
}
