#include "host/report/bencher.h"

#include <stdexcept>

#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

TEST_CASE("a timed row that is right has its latency, throughput and ratio with their intervals") {
    Row row;
    row.plugin = "40_tile128";
    row.device = Target::cuda;
    row.shape = "8x8x8";
    row.status = Status::ok;
    row.time_ms = {1, 2, 3, 4, 5, 6};
    row.median_ms = 4;
    row.cold_ms = {7};
    row.cold_median_ms = 7;
    row.tflops = 0.5;
    row.ratio = 0.9;
    row.ratio_interval = Interval{0.8, 1.1};
    const Json all = bencher_metrics({row});
    REQUIRE(all.size() == 1);
    const Json& measures = all.at("40_tile128 (cuda) 8x8x8");
    CHECK(measures.at("latency") == Json{{"value", 4e6}, {"lower_value", 1e6}, {"upper_value", 6e6}});
    CHECK(measures.at("cold-latency") == Json{{"value", 7e6}});  // one call has no interval
    const Json& throughput = measures.at("throughput");
    CHECK(throughput.at("value").get<double>() == Approx(0.5e12));
    CHECK(throughput.at("lower_value").get<double>() == Approx(0.5e12 * 4 / 6));
    CHECK(throughput.at("upper_value").get<double>() == Approx(0.5e12 * 4));
    CHECK(measures.at("ratio") == Json{{"value", 0.9}, {"lower_value", 0.8}, {"upper_value", 1.1}});
}

TEST_CASE("what was not timed, or does not count, is left out") {
    Row untimed, suspicious;
    untimed.status = Status::ok;
    suspicious.status = Status::suspicious;
    suspicious.median_ms = 1e-9;
    CHECK(bencher_metrics({untimed, suspicious}) == Json::object());
    const TemporaryDirectory directory;
    write_bencher(directory / "x.json", {untimed});
    CHECK(read_file(directory / "x.json") == "{}\n");
    const fs::path nowhere = directory / "missing" / "x.json";
    CHECK(contains(message_thrown_by<std::runtime_error>([&] { write_bencher(nowhere, {}); }),
                   "--bencher " + nowhere.string()));
}
