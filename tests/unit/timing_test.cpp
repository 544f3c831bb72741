#include "host/timing.h"

#include <cmath>
#include <string>

#include "tests/catch.h"

using namespace judge;

namespace {

// A device whose calls take as long as the test says, and a log of what was done with it. All times are sums of
// powers of two, so that nothing is rounded.
struct FakeDevice {
    double now = 100;
    double pending = 0;  // work that was started and not waited for
    std::string log;     // p: plugin, b: baseline, s: synchronisation
    int plugin_calls = 0;
    int baseline_calls = 0;
    std::function<double(int)> plugin_seconds = [](int) { return 0x1p-7; };
    std::function<double(int)> baseline_seconds = [](int) { return 0x1p-6; };

    Stopwatch stopwatch() {
        return {[this] { return now; },
                [this] {
                    now += pending;
                    pending = 0;
                    log += 's';
                }};
    }
    std::function<void()> plugin() {
        return [this] {
            log += 'p';
            pending += plugin_seconds(plugin_calls++);
        };
    }
    std::function<void()> baseline() {
        return [this] {
            log += 'b';
            pending += baseline_seconds(baseline_calls++);
        };
    }
};

std::string times(int count, const std::string& text) {
    std::string repeated;
    for (int i = 0; i < count; ++i) repeated += text;
    return repeated;
}

constexpr Policy kEighth{7, 0x1p-3};  // batches of an eighth of a second

}  // namespace

TEST_CASE("a batch is as many calls as fill it, work that is still running included") {
    FakeDevice device;
    const Race result = race(device.plugin(), {}, device.stopwatch(), kEighth);
    CHECK(result.loops == 16);
    CHECK(result.plugin_ms == std::vector<double>(7, 1e3 * 0x1p-7));
    CHECK(result.baseline_ms.empty());
}

TEST_CASE("a call longer than a batch is timed once a sample") {
    FakeDevice device;
    device.plugin_seconds = [](int) { return 2.0; };
    const Race result = race(device.plugin(), {}, device.stopwatch(), kEighth);
    CHECK(result.loops == 1);
    CHECK(result.plugin_ms == std::vector<double>(7, 2000.0));
    CHECK(device.plugin_calls <= 2 + 7);
}

TEST_CASE("a batch is not shorter than was asked") {
    FakeDevice device;
    device.plugin_seconds = [](int) { return 3 * 0x1p-8; };  // 10 and two thirds of them fill a batch
    CHECK(race(device.plugin(), {}, device.stopwatch(), kEighth).loops == 11);
}

TEST_CASE("the default is 7 samples of a tenth of a second") {
    FakeDevice device;
    const Race result = race(device.plugin(), {}, device.stopwatch());
    CHECK(result.plugin_ms.size() == 7);
    CHECK(result.loops * 0x1p-7 >= 0.1);
    CHECK((result.loops - 1) * 0x1p-7 <= 0.1);
}

TEST_CASE("the first call, which loads and allocates, is not taken for the time of a call") {
    FakeDevice device;
    device.plugin_seconds = [](int call) { return call == 0 ? 10.0 : 0x1p-7; };
    const Race result = race(device.plugin(), {}, device.stopwatch(), kEighth);
    CHECK(result.loops == 16);
    CHECK(result.plugin_ms == std::vector<double>(7, 1e3 * 0x1p-7));
}

TEST_CASE("a clock that stands still does not make the warm-up endless") {
    FakeDevice device;
    int calls = 0;
    const Stopwatch standing{[] { return 1.0; }, [] {}};
    const Race result = race([&] { ++calls; }, {}, standing, Policy{1, 0.1});
    CHECK(result.loops == 1 << 20);
    CHECK(result.plugin_ms == std::vector<double>{0.0});
}

TEST_CASE("batches of the plugin and of the baseline take turns, each between two synchronisations") {
    FakeDevice device;
    const Race result = race(device.plugin(), device.baseline(), device.stopwatch(), kEighth);
    const std::string plugin_batch = "s" + times(16, "p") + "s";
    const std::string baseline_batch = "s" + times(8, "b") + "s";
    const std::string timed = times(7, plugin_batch + baseline_batch);
    REQUIRE(device.log.size() > timed.size());
    CHECK(device.log.substr(device.log.size() - timed.size()) == timed);
    CHECK(result.baseline_ms == std::vector<double>(7, 1e3 * 0x1p-6));
    CHECK(ratio(result) == 2.0);
}

TEST_CASE("both are warmed up before either is timed") {
    FakeDevice device;
    race(device.plugin(), device.baseline(), device.stopwatch(), Policy{1, 0x1p-3});
    const size_t timed_from = device.log.size() - (2 + 16 + 2 + 8);
    const std::string warm_up = device.log.substr(0, timed_from);
    CHECK(warm_up.find('p') != std::string::npos);
    CHECK(warm_up.find('b') != std::string::npos);
}

TEST_CASE("a drift that slows both down changes the samples and not the ratio") {
    FakeDevice device;
    const int plugin_warm_up = 1 + 1 + 4, baseline_warm_up = 1 + 1 + 4;
    device.plugin_seconds = [=](int call) { return 0x1p-7 * (1 + std::max(call - plugin_warm_up, 0) / 16); };
    device.baseline_seconds = [=](int call) { return 0x1p-6 * (1 + std::max(call - baseline_warm_up, 0) / 8); };
    const Race result = race(device.plugin(), device.baseline(), device.stopwatch(), kEighth);
    REQUIRE(result.loops == 16);
    for (int run = 0; run < 7; ++run) {
        CAPTURE(run);
        CHECK(result.plugin_ms[run] == 1e3 * 0x1p-7 * (run + 1));
        CHECK(result.baseline_ms[run] == 1e3 * 0x1p-6 * (run + 1));
    }
    CHECK(mean(result.plugin_ms) == 4e3 * 0x1p-7);
    CHECK(ratio(result) == 2.0);
}

TEST_CASE("a synchronisation before a batch keeps earlier work out of it") {
    FakeDevice device;
    device.pending = 50;
    const Race result = race(device.plugin(), {}, device.stopwatch(), kEighth);
    CHECK(result.loops == 16);
}

TEST_CASE("mean, standard deviation and median") {
    const std::vector<double> samples{2, 4, 4, 4, 5, 5, 7, 9};
    CHECK(mean(samples) == 5);
    CHECK(standard_deviation(samples) == 2);  // of the population
    CHECK(median(samples) == 4.5);
    CHECK(median({9, 1, 5}) == 5);
    CHECK(median({3}) == 3);
    CHECK(standard_deviation({3}) == 0);
    CHECK(median({100, 1, 2, 3, 4, 5, 6}) == 4);  // one outlier moves nothing
}

TEST_CASE("the ratio is the median of the runs' ratios, above 1 where the plugin is faster") {
    Race result;
    result.plugin_ms = {1, 2, 4};
    result.baseline_ms = {2, 6, 40};  // ratios 2, 3, 10; the ratio of the medians would be 3, of the means 6.9
    CHECK(ratio(result) == 3);
    result.baseline_ms = {10, 6, 8};  // ratios 10, 3, 2; the ratio of the medians would be 4
    CHECK(ratio(result) == 3);
    result.baseline_ms = {0.5, 1, 2};
    CHECK(ratio(result) == 0.5);
}

TEST_CASE("the steady stopwatch advances, and waits by the function it was given") {
    int waits = 0;
    const Stopwatch stopwatch = steady_stopwatch([&] { ++waits; });
    const double start = stopwatch.seconds();
    stopwatch.synchronize();
    CHECK(waits == 1);
    double now = start;
    while (now == start) now = stopwatch.seconds();
    CHECK(now > start);
    CHECK(now - start < 60);
}
