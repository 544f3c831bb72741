#include "host/parent/regression.h"

#include <fstream>

#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// Times around `ms`, in a spread of 1 % either way.
std::vector<double> around(double ms) {
    std::vector<double> samples;
    for (int i = -6; i <= 6; ++i) samples.push_back(ms * (1 + i / 600.0));
    return samples;
}

Row timed(double ms, double ratio, double ratio_spread = 0.001) {
    Row row;
    row.plugin = "40_tile128";
    row.device = Target::cuda;
    row.shape = "64x64x64";
    row.status = Status::ok;
    row.time_ms = around(ms);
    row.baseline = "00_cublas_fp32";
    row.ratio = ratio;
    row.ratio_interval = Interval{ratio - ratio_spread, ratio + ratio_spread};
    return row;
}

Row compared(const Row& before, Row now, double max_slowdown = 0.03) {
    compare_with({"base.json", Json::object(), {before}}, max_slowdown, now);
    return now;
}

}  // namespace

TEST_CASE("a call that takes longer than is allowed is a regression") {
    const Row row = compared(timed(1, 0.9), timed(1.1, 0.82));
    REQUIRE(row.slowdown);
    CHECK(row.slowdown->low > 1.08);
    CHECK(row.slowdown->low < 1.1);
    CHECK(row.slowdown->high > 1.1);
    CHECK(contains(row.regression, "base.json"));
    CHECK(contains(row.regression, "00_cublas_fp32"));
    CHECK(contains(row.regression, "3 % is allowed"));
}

TEST_CASE("what may be within the allowance is no regression") {
    CHECK(compared(timed(1, 0.9), timed(1.1, 0.82), 0.12).regression.empty());
    CHECK(compared(timed(1, 0.9), timed(1.035, 0.87)).regression.empty());  // the interval's low end is about 2.5 %
    CHECK(compared(timed(1, 0.9), timed(0.5, 1.8)).regression.empty());
    CHECK(compared(timed(1, 0.9), timed(1, 0.9)).slowdown->contains(1));
}

TEST_CASE("where the baseline is as much slower, the GPU is, not the plugin") {
    CHECK(compared(timed(1, 0.9), timed(1.2, 0.9)).regression.empty());
    CHECK(compared(timed(1, 0.9), timed(1.2, 0.75, 0.15)).regression.empty());  // not known well enough
    Row other = timed(1.2, 0.9);
    other.baseline = "another";
    CHECK(!compared(timed(1, 0.9), other).regression.empty());  // then the times alone tell
}

TEST_CASE("a ratio of too few blocks for an interval counts as it is, in either run") {
    const auto few = [](Row row) {
        row.ratio_interval.reset();
        return row;
    };
    CHECK(compared(few(timed(1, 0.9)), few(timed(1.2, 0.9))).regression.empty());  // the baseline is slower, too
    CHECK(compared(timed(1, 0.9), few(timed(1.2, 0.9))).regression.empty());
    CHECK(compared(few(timed(1, 0.9)), timed(1.2, 0.9)).regression.empty());
    CHECK(contains(compared(few(timed(1, 0.9)), few(timed(1.2, 0.75))).regression, "00_cublas_fp32"));
    CHECK(contains(compared(timed(1, 0.9), few(timed(1.2, 0.75))).regression, "00_cublas_fp32"));
    Row alone = few(timed(1.2, 0.9));
    alone.ratio.reset();
    CHECK(!compared(timed(1, 0.9), alone).regression.empty());  // without a ratio the times tell
}

TEST_CASE("only the same plugin on the same device at the same shape is compared") {
    const auto unlike = [](auto change) {
        Row other = timed(1.5, 0.6);
        change(other);
        return !compared(timed(1, 0.9), other).slowdown;
    };
    CHECK(!unlike([](Row&) {}));
    CHECK(unlike([](Row& row) { row.plugin = "x"; }));
    CHECK(unlike([](Row& row) { row.device = Target::cpu; }));
    CHECK(unlike([](Row& row) { row.shape = "64x64x65"; }));
    CHECK(unlike([](Row& row) { row.time_ms.resize(5); }));  // too few for an interval
    Row doubtful = timed(1, 0.9);
    doubtful.status = Status::suspicious;
    CHECK(!compared(doubtful, timed(1.5, 0.6)).slowdown);
}

TEST_CASE("rows that were timed and found nothing to be compared with are counted") {
    const SavedRun saved{"base.json", Json::object(), {timed(1, 0.9)}};
    Row compared_row = timed(1, 0.9), elsewhere = timed(1, 0.9), untimed;
    elsewhere.shape = "7x7x7";
    for (Row* const row : {&compared_row, &elsewhere, &untimed}) compare_with(saved, 0.03, *row);
    CHECK(not_compared(saved, {compared_row, untimed}).empty());
    const std::string missed = not_compared(saved, {compared_row, untimed, elsewhere});
    CAPTURE(missed);
    CHECK(contains(missed, "1 of 2 timed rows"));
    CHECK(contains(missed, "base.json"));
}

TEST_CASE("a saved run is read back, and a file that is none says so") {
    const TemporaryDirectory folder;
    const auto file = folder / "base.json";
    std::ofstream(file) << Json{{"environment", {{"device", "X"}}}, {"rows", {timed(1, 0.9)}}};
    const SavedRun run = load_run(file);
    CHECK(run.rows.size() == 1);
    CHECK(not_comparable(run, run.environment).empty());

    const auto refused = [&](const std::string& text) {
        std::ofstream(file) << text;
        const std::string message = message_thrown_by<std::runtime_error>([&] { load_run(file); });
        CHECK(contains(message, "base.json"));
        CHECK(contains(message, "--save"));
        return message;
    };
    CHECK(contains(refused("[1, 2"), "no JSON"));
    CHECK(contains(refused(""), "no JSON"));
    for (const char* text : {"{}", "[]", "7", R"({"environment": {}, "rows": {}})"}) {
        CHECK(contains(refused(text), "no results"));
    }
    CHECK(contains(refused(R"({"environment": {}, "rows": [{"plugin": "x"}]})"), "another version"));
    Json unknown = timed(1, 0.9);
    unknown["device"] = "tpu";
    CHECK(contains(refused(Json{{"environment", Json::object()}, {"rows", {unknown}}}.dump()), "another version"));
}

TEST_CASE("a run on another device, or on other data, is not comparable, and another driver may be") {
    const auto saved = [](const Json& environment) { return SavedRun{"f", environment, {}}; };
    const Json then = {{"device", "X"}, {"processor", "P"}, {"data", "uniform"}};
    const auto why = [&](const char* key, const Json& value) {
        Json now = then;
        now[key] = value;
        return not_comparable(saved(then), now);
    };
    CHECK(why("seed", 7).empty());
    CHECK(why("processor", "Q").empty());  // a GPU's times do not depend on it
    CHECK(contains(why("device", "Y"), "the GPU is Y, in f it was X"));
    CHECK(contains(why("device", nullptr), "the GPU is none, in f it was X"));
    CHECK(contains(why("data", "integers"), "--data is integers, in f it was uniform"));
    CHECK(contains(
        not_comparable(saved({{"device", nullptr}, {"processor", "P"}}), {{"device", nullptr}, {"processor", "Q"}}),
        "the processor is Q"));
    CHECK(contains(other_software(saved({{"driver", "1"}}), {{"driver", "2"}}), "the driver is 2"));
}
