#include "host/values/record.h"

#include <cmath>
#include <limits>
#include <memory>

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

namespace {

constexpr Status kStatuses[] = {Status::ok,          Status::limited,       Status::wrong,
                                Status::not_written, Status::out_of_bounds, Status::input_modified,
                                Status::crashed,     Status::timed_out,     Status::load_error,
                                Status::unsupported, Status::suspicious};

Row full_row() {
    Row row;
    row.plugin = "40_tile128";
    row.path = "plugins/40_tile128.so";
    row.sha256 = "ba7816bf";
    row.device = Target::cuda;
    row.arithmetic = "TF32";
    row.shape = "1000x777x3000";
    row.status = Status::suspicious;
    row.message = "a \"quoted\"\nmessage with ± and \x01";
    row.kernels = {{"gemm<8>", {8, 9, 1}, {32, 4, 2}, 49152, 96, 16, "", 2},
                   {"split", {1, 1, 1}, {1024, 1, 1}, 1ull << 33, {}, {}, "invalid argument", 1}};
    row.max_error = 1.0 / 3;
    row.rho = 0.1;
    row.bound = 250.87;
    row.normwise = 2.5e-7;
    row.error_ratio = 1.01;
    row.allclose = false;
    row.deterministic = true;
    row.precision = "TF32-grade";
    row.evidence = std::make_shared<const Json>(Json::object({{"r", 909.0}}));
    row.sampled = true;
    row.wrong_elements = 1;
    row.nan_elements = 1ull << 40;
    row.inf_elements = 3;
    row.unwritten_elements = std::numeric_limits<uint64_t>::max();
    row.time_ms = {1.1, 2.2, 1.0 / 7};
    row.baseline_ms = {3.3};
    row.baseline = "00_cublas_fp32";
    row.first_ms = 2.75;
    row.host_us = 3.5;
    row.loops = 17;
    row.mean_ms = 1.5;
    row.deviation_ms = 0.0;
    row.median_ms = 1e-9;
    row.tflops = 51.2;
    row.ratio = 0.987654321;
    row.ratio_interval = Interval{0.98, 1.0 / 1.01};
    row.cold_ms = {4.4, 5.5};
    row.baseline_cold_ms = {6.6, 1.0 / 9};
    row.cold_median_ms = 4.95;
    row.cold_ratio = 1.0 / 11;
    row.waits = true;
    row.pageable = {40.5, 40.25, 1.0 / 3, 7.5};
    row.pinned = {30.5, 30.25, 0.25, 1.0 / 13};
    row.counters = {66.5, 1.0 / 17, 80, 50, 1024, 1e15, 201326592, 4e15};
    row.clock_mhz = 1980;
    row.power_w = 687.5;
    row.temperature_c = 64;
    row.slowed_by = {"power limit", "hardware thermal limit"};
    row.not_judged = {"solve_gemm"};
    row.slowdown = Interval{1.04, 1.0 / 0.9};
    row.regression = "slower";
    return row;
}

Row through_text(const Row& row) {
    return Json::parse(Json(row).dump()).get<Row>();
}

void check_equal(const std::optional<Interval>& a, const std::optional<Interval>& b) {
    REQUIRE(a.has_value() == b.has_value());
    if (a) CHECK(std::pair(a->low, a->high) == std::pair(b->low, b->high));
}

void check_equal(const Row& a, const Row& b) {
    CHECK(a.plugin == b.plugin);
    CHECK(a.path == b.path);
    CHECK(a.sha256 == b.sha256);
    CHECK(a.device == b.device);
    CHECK(a.arithmetic == b.arithmetic);
    CHECK(a.shape == b.shape);
    CHECK(to_string(a.status) == to_string(b.status));
    CHECK(a.message == b.message);
    CHECK((a.kernels == b.kernels));
    CHECK(a.max_error == b.max_error);
    CHECK(a.rho == b.rho);
    CHECK(a.bound == b.bound);
    CHECK(a.normwise == b.normwise);
    CHECK(a.error_ratio == b.error_ratio);
    CHECK(a.allclose == b.allclose);
    CHECK(a.deterministic == b.deterministic);
    CHECK(a.precision == b.precision);
    CHECK(bool(a.evidence) == bool(b.evidence));
    if (a.evidence && b.evidence) CHECK(*a.evidence == *b.evidence);
    CHECK(a.sampled == b.sampled);
    CHECK(a.wrong_elements == b.wrong_elements);
    CHECK(a.nan_elements == b.nan_elements);
    CHECK(a.inf_elements == b.inf_elements);
    CHECK(a.unwritten_elements == b.unwritten_elements);
    CHECK(a.time_ms == b.time_ms);
    CHECK(a.baseline_ms == b.baseline_ms);
    CHECK(a.baseline == b.baseline);
    CHECK(a.first_ms == b.first_ms);
    CHECK(a.host_us == b.host_us);
    CHECK(a.loops == b.loops);
    CHECK(a.mean_ms == b.mean_ms);
    CHECK(a.deviation_ms == b.deviation_ms);
    CHECK(a.median_ms == b.median_ms);
    CHECK(a.tflops == b.tflops);
    CHECK(a.ratio == b.ratio);
    check_equal(a.ratio_interval, b.ratio_interval);
    CHECK(a.cold_ms == b.cold_ms);
    CHECK(a.baseline_cold_ms == b.baseline_cold_ms);
    CHECK(a.cold_median_ms == b.cold_median_ms);
    CHECK(a.cold_ratio == b.cold_ratio);
    CHECK(a.waits == b.waits);
    for (const auto part : {&CopiedCall::total_ms, &CopiedCall::gpu_ms, &CopiedCall::kernel_ms, &CopiedCall::cpu_ms}) {
        CHECK(a.pageable.*part == b.pageable.*part);
        CHECK(a.pinned.*part == b.pinned.*part);
    }
    for (const auto counter :
         {&Counters::memory_percent, &Counters::dram_percent, &Counters::issue_percent, &Counters::occupancy_percent,
          &Counters::bank_conflicts, &Counters::wavefronts, &Counters::dram_bytes, &Counters::l2_bytes}) {
        CHECK(a.counters.*counter == b.counters.*counter);
    }
    CHECK(a.clock_mhz == b.clock_mhz);
    CHECK(a.power_w == b.power_w);
    CHECK(a.temperature_c == b.temperature_c);
    CHECK(a.slowed_by == b.slowed_by);
    CHECK(a.not_judged == b.not_judged);
    check_equal(a.slowdown, b.slowdown);
    CHECK(a.regression == b.regression);
}

}  // namespace

TEST_CASE("a full row comes back from JSON as it was, to the last bit") {
    check_equal(through_text(full_row()), full_row());
}

TEST_CASE("an empty row comes back from JSON with its optionals absent") {
    const Row row = through_text(Row{});
    check_equal(row, Row{});
    CHECK(!row.max_error);
    CHECK(!row.kernels);
    CHECK(!row.ratio);
    CHECK(row.status == Status::crashed);
}

TEST_CASE("absent figures are null in JSON, and every key is there") {
    const Json empty = Row{}, full = full_row();
    for (const char* key : {"max_error", "rho", "bound", "mean_ms", "deviation_ms", "median_ms", "cold_median_ms",
                            "tflops", "ratio", "cold_ratio", "clock_mhz", "power_w", "temperature_c"}) {
        CAPTURE(key);
        CHECK(empty.at(key).is_null());
        CHECK(full.at(key).is_number());
    }
    for (const char* key : {"allclose", "deterministic"}) {
        CHECK(empty.at(key).is_null());
        CHECK(full.at(key).is_boolean());
    }
    CHECK(full.at("class") == "TF32-grade");
    for (const char* key : {"ratio_interval", "slowdown"}) {
        CAPTURE(key);
        CHECK(empty.at(key).is_null());
        CHECK(full.at(key).size() == 2);
    }
    CHECK(empty.size() == full.size());
    CHECK(empty.at("time_ms") == Json::array());
}

TEST_CASE("the keys of a row in JSON, which files of earlier runs have, and their order") {
    std::string keys;
    const Json json = Row{};
    for (const auto& [key, value] : json.items()) keys += key + " ";
    CHECK(keys ==
          "plugin path sha256 device arithmetic shape status message not_judged kernels max_error rho bound normwise "
          "error_ratio allclose deterministic class evidence sampled wrong_elements nan_elements inf_elements "
          "unwritten_elements "
          "wrong_places "
          "time_ms cold_ms first_ms host_us cpu_ms loops waits mean_ms deviation_ms median_ms cold_median_ms tflops "
          "baseline "
          "baseline_ms baseline_cold_ms ratio ratio_interval cold_ratio pageable_ms pageable_gpu_ms "
          "pageable_kernel_ms pageable_cpu_ms pinned_ms pinned_gpu_ms pinned_kernel_ms pinned_cpu_ms pcie_ms "
          "one_gpu_ms memory_percent dram_percent issue_percent occupancy_percent bank_conflicts wavefronts dram_bytes "
          "l2_bytes clock_mhz power_w "
          "temperature_c slowed_by "
          "slowdown regression ");
}

TEST_CASE("an interval that is not finite is null, and does not cost the row") {
    Row row = full_row();
    row.ratio_interval = Interval{0.5, std::numeric_limits<double>::infinity()};
    CHECK(Json(row).at("ratio_interval").is_null());
    CHECK(!through_text(row).ratio_interval);
}

TEST_CASE("kernels that are not known are null, and only a failed launch has an error") {
    const Json full = full_row();
    CHECK(Json(Row{}).at("kernels").is_null());
    REQUIRE(full.at("kernels").size() == 2);
    const Json &good = full.at("kernels")[0], &bad = full.at("kernels")[1];
    CHECK(good.at("grid") == Json({8, 9, 1}));
    CHECK(good.at("launches") == 2);
    CHECK(good.at("registers") == 96);
    CHECK(!good.contains("error"));
    CHECK(bad.at("error") == "invalid argument");
    CHECK(bad.at("registers").is_null());
    CHECK(bad.at("local_bytes").is_null());
    Row none;
    none.kernels.emplace();
    const Row back = through_text(none);
    REQUIRE(back.kernels);
    CHECK(back.kernels->empty());
}

TEST_CASE("a note is added to the message, and nothing is added for none") {
    Row row;
    add_note(row, "");
    CHECK(row.message == "");
    add_note(row, "one");
    add_note(row, "");
    add_note(row, "two");
    CHECK(row.message == "one; two");
}

TEST_CASE("NaN and infinity become null") {
    Row row;
    row.max_error = std::nan("");
    row.rho = std::numeric_limits<double>::infinity();
    row.ratio = -std::numeric_limits<double>::infinity();
    const Json json = row;
    CHECK(json.at("max_error").is_null());
    CHECK(json.at("rho").is_null());
    CHECK(json.at("ratio").is_null());
    CHECK(!through_text(row).rho);
}

TEST_CASE("a row from JSON may lack its figures, and nothing else") {
    Json json = full_row();
    json.erase("ratio");
    CHECK(!json.get<Row>().ratio);
    json.erase("class");  // of a file that was written before there were classes
    CHECK(json.get<Row>().precision.empty());
    json.erase("kernels");
    CHECK(!json.get<Row>().kernels);
    json.erase("status");
    CHECK_THROWS_AS(json.get<Row>(), Json::exception);
}

TEST_CASE("each status has a name of its own and comes back from it") {
    std::string names;
    for (const Status status : kStatuses) {
        names += to_string(status) + " ";
        CHECK(Json(status).get<Status>() == status);
    }
    CHECK(names ==
          "ok limited wrong not-written out-of-bounds input-modified crashed timed-out load-error unsupported "
          "suspicious ");
}

TEST_CASE("a status that no one knows is not read as ok") {
    CHECK(Json("splendid").get<Status>() != Status::ok);
    CHECK(Json(7).get<Status>() != Status::ok);
}

TEST_CASE("every text of a row is made fit to be shown, and no longer than can be read") {
    Row row;
    row.plugin = row.baseline = "a\033[1mb";
    row.path = std::string(2000, 'x') + "\n.so";
    row.message = "a\nb\xff" + std::string(50'000'000, '\a');
    row.kernels = {KernelLaunch{}};
    row.kernels->front().name = "gemm\t<1>";
    row.regression = "slower";
    clean(row);
    CHECK(row.plugin == "ab");
    CHECK(row.baseline == "ab");
    CHECK(row.path == std::string(2000, 'x') + " .so");
    CHECK(row.message.substr(0, 8) == "a b\ufffd??");
    CHECK(row.message.size() < 1010);
    CHECK(row.kernels->front().name == "gemm <1>");
    CHECK(row.regression == "slower");
}
