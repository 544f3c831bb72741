#include "host/timing/speed.h"

#include <set>
#include <utility>

#include "host/base/processes.h"
#include "tests/catch.h"
#include "tests/unit/host_in_disguise.h"
#include "tests/unit/multiply.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

constexpr Shape kShape{13, 17, 11};
constexpr double kBytes = 4.0 * (13 * 17 + 17 * 11 + 13 * 11);

// Of a call, in a batch. A power of two in seconds, so that nothing is rounded.
constexpr double kHotMs = 1e3 * 0x1p-10;

// Uses so much CPU time.
void work_for(double seconds) {
    const double start = process_cpu_seconds();
    while (process_cpu_seconds() - start < seconds) {
    }
}

// Its figures are what the test says.
class PlayedDevice final : public HostInDisguise {
  public:
    double cold_seconds(const std::function<void()>& call) override {
        call();
        return 1e-3 * cold_ms[asked_for_cold_++ % cold_ms.size()];
    }
    bool waits_for_its_work(const std::function<void()>&) override { return waits; }
    double least_seconds(double flops, bool fp32) const override {
        return 1e-3 * (fp32 ? fp32_ms : fastest_ms) * flops / kShape.flops();
    }
    double least_seconds_for_bytes(double bytes) const override { return 1e-3 * memory_ms * bytes / kBytes; }
    std::optional<GpuHealth> health() const override {
        if (healths.empty()) return std::nullopt;
        return healths[asked_for_health_++ % healths.size()];
    }
    void synchronize() override { ++synchronized; }
    bool has_streams() const override { return streams; }
    void fill(float* memory, size_t floats, uint32_t bits) override {
        single_elements += floats == 1;
        HostInDisguise::fill(memory, floats, bits);
    }

    std::vector<double> cold_ms{kHotMs};
    double fp32_ms = 0, fastest_ms = 0, memory_ms = 0;  // at least, for kShape
    bool waits = true;
    bool streams = true;
    int single_elements = 0;  // that were filled
    int synchronized = 0;
    std::vector<GpuHealth> healths;

  private:
    size_t asked_for_cold_ = 0;
    mutable size_t asked_for_health_ = 0;
};

// A race of calls that are right, against a clock that each of them moves on.
struct Raced {
    PlayedDevice device;
    Problem problem{device, kShape, 5};
    double now = 1;
    SpeedTest test;
    Row row;
    std::set<uint64_t> seeds;
    int begun = 0, ended = 0;

    Raced() {
        const auto solve = [&](const float*, const float*, float*) { return multiply(), std::string(); };
        REQUIRE(problem.judge(solve).status == Status::ok);
        row.status = Status::ok;
        test.plugin = [this] { call(); };
        test.policy = {
            .batch_seconds = 0x1p-7, .budget_seconds = 10, .precision = 0.01, .least_blocks = 6, .cold_calls = 2};
        test.next_seed = [this] {
            seeds.insert(100 + seeds.size());
            return *seeds.rbegin();
        };
        test.seconds = [this] { return now; };
        test.batch_begins = [this](bool) {
            ++begun;
            in_batch = true;
        };
        test.batch_ended = [this](bool, double seconds, int) {
            in_batch = false;
            ended += seconds >= 0.75 * 0x1p-7 && seconds <= 0x1p-7;
        };
        row.arithmetic = row.precision = "FP32";
    }

    bool in_batch = false;
    void multiply() { unit::multiply(problem.A(), problem.B(), problem.output(), kShape); }
    void call() {
        multiply();
        now += 1e-3 * kHotMs;
    }
    const Row& run() {
        test_speed(test, problem, device, row);
        return row;
    }
};

// What is said of the times on the device that `change` makes.
std::string suspicion(const std::function<void(Raced&)>& change) {
    Raced raced;
    change(raced);
    const Row& row = raced.run();
    CAPTURE(row.message);
    CHECK(row.status == (row.message.empty() ? Status::ok : Status::suspicious));
    CHECK(row.median_ms);  // suspicious times are shown all the same
    return row.message;
}

std::string suspicion_of_cold(double cold_ms) {
    return suspicion([=](Raced& raced) { raced.device.cold_ms = {cold_ms}; });
}

}  // namespace

TEST_CASE("a row gets its samples and what they come to") {
    Raced raced;
    raced.test.baseline = [&] {
        raced.multiply();
        raced.now += 0.5e-3 * kHotMs;
    };
    raced.device.cold_ms = {1, 1.5, 2.5, 3};  // plugin, baseline, baseline, plugin
    const Row& row = raced.run();
    CHECK(row.status == Status::ok);
    CHECK(row.message == "");
    CHECK(row.loops == 8);
    CHECK(row.waits);
    CHECK(row.time_ms == std::vector<double>(12, kHotMs));
    CHECK(row.baseline_ms == std::vector<double>(12, kHotMs / 2));
    CHECK(row.cold_ms == std::vector<double>{1, 3});
    CHECK(row.baseline_cold_ms == std::vector<double>{1.5, 2.5});
    CHECK(row.mean_ms == kHotMs);
    CHECK(row.deviation_ms == 0.0);
    CHECK(row.median_ms == kHotMs);
    CHECK(row.cold_median_ms == 2.0);
    CHECK(row.tflops.value() == Approx(kShape.flops() / (1e9 * kHotMs)));
    CHECK(row.ratio == 0.5);
    CHECK(row.ratio_interval.value().low == 0.5);
    CHECK(row.ratio_interval.value().high == 0.5);
    CHECK(row.cold_ratio == 1.0);
    CHECK(!row.clock_mhz);
    CHECK(raced.begun == 24);
    CHECK(raced.ended == 24);
    CHECK(raced.seeds.size() == 24 + 4 + 24);  // for each batch and each cold call, and for the length of a batch
}

TEST_CASE("a single cold call is a sample, a median and half of a ratio") {
    Raced raced;
    raced.test.policy.cold_calls = 1;
    raced.test.baseline = [&] { raced.call(); };
    raced.device.cold_ms = {1, 1.5};
    const Row& row = raced.run();
    CHECK(row.message == "");
    CHECK(row.cold_ms == std::vector<double>{1});
    CHECK(row.baseline_cold_ms == std::vector<double>{1.5});
    CHECK(row.cold_median_ms == 1.0);
    CHECK(row.cold_ratio == 1.5);
}

TEST_CASE("without a baseline there are times and no ratio") {
    Raced raced;
    const Row& row = raced.run();
    CHECK(row.time_ms.size() == 12);
    CHECK(row.baseline_ms.empty());
    CHECK(!row.ratio);
    CHECK(!row.ratio_interval);
    CHECK(!row.cold_ratio);
}

TEST_CASE("no call is faster than the units that it computes with, hot or cold") {
    const auto needing = [](double ms, bool fp32, double cold_ms = kHotMs) {
        return suspicion([=](Raced& raced) {
            (fp32 ? raced.device.fp32_ms : raced.device.fastest_ms) = ms;
            if (!fp32) raced.row.arithmetic = "TF32";
            raced.device.cold_ms = {cold_ms};
        });
    };
    // By the nominal clock, which the real one may pass by a twentieth.
    CHECK(needing(1.04 * kHotMs, true) == "");
    CHECK(needing(1.04 * kHotMs, false) == "");
    CHECK(contains(needing(1.06 * kHotMs, true), "took 0.977 ms, but this device's FP32 units need 0.986 ms"));
    CHECK(contains(needing(1.06 * kHotMs, false), "fastest units need 0.986 ms"));
    CHECK(contains(needing(kHotMs, true, 0.9 * kHotMs), "took 0.879 ms"));
    // FP32 units bound only what computes with them.
    CHECK(suspicion([](Raced& raced) {
              raced.device.fp32_ms = 1000;
              raced.row.precision = "TF32-grade";  // and claims nothing
          }) == "");
    CHECK(suspicion([](Raced& raced) {
              raced.device.fp32_ms = 1000;
              raced.row.precision.clear();
          }) != "");
}

TEST_CASE("what is to be known of a row is still said where its times cannot be true") {
    Raced raced;
    raced.device.fp32_ms = 1000;
    raced.row.message = "a note";
    CHECK(raced.run().status == Status::suspicious);
    CHECK(contains(raced.row.message, "a note; took 0.977 ms"));
}

TEST_CASE("no cold call is faster than its matrices come from memory") {
    const auto needing = [](double ms) {
        return suspicion([=](Raced& raced) {
            raced.device.memory_ms = ms;
            raced.device.cold_ms = {2};
        });
    };
    CHECK(needing(2.08) == "");  // by more than a twentieth; and hot calls may be faster
    CHECK(contains(needing(2.12), "took 2 ms with cold caches, but its matrices need 2.02 ms from memory"));
}

TEST_CASE("a cold call much faster than hot ones leaves work behind") {
    CHECK(suspicion_of_cold(0.81 * kHotMs) == "");
    CHECK(contains(suspicion_of_cold(0.79 * kHotMs), "its work goes on after what the default stream waits for"));
    CHECK(suspicion([](Raced& raced) {
              raced.test.policy.cold_calls = 1;
              raced.device.cold_ms = {0.79 * kHotMs};
          }) != "");
    // Every one of them, and than all batches: what was slowed down by other work says nothing.
    CHECK(suspicion([](Raced& raced) { raced.device.cold_ms = {kHotMs / 2, kHotMs}; }) == "");
    CHECK(suspicion([](Raced& raced) {
              raced.test.plugin = [&raced] {
                  raced.call();
                  if (raced.begun > 2) raced.now += 1e-3 * kHotMs;
              };
          }) == "");
}

TEST_CASE("a cold call much slower than hot ones computes what they remember") {
    CHECK(suspicion_of_cold(3 * kHotMs + 0.19) == "");
    CHECK(contains(suspicion_of_cold(3 * kHotMs + 0.21), "is the result remembered?"));
    // Every one of them: what was slowed down by other work says nothing.
    CHECK(suspicion([](Raced& raced) { raced.device.cold_ms = {kHotMs, 50}; }) == "");
    // And than the median batch: that the plugin works in one of them says nothing for the others.
    const auto with_slow_batches = [](int of_ten) {
        return suspicion([=](Raced& raced) {
            raced.device.cold_ms = {4 * kHotMs};
            raced.test.plugin = [&raced, of_ten] {
                raced.call();
                if (raced.begun % 10 < of_ten) raced.now += 1e-3 * kHotMs;
            };
        });
    };
    CHECK(contains(with_slow_batches(2), "is the result remembered?"));
    CHECK(with_slow_batches(8) == "");
}

TEST_CASE(
    "without streams a cold call is suspicious only by the CPU time that it takes too, and no work is left behind") {
    const auto on_host = [](double cold_ms, bool works) {
        return suspicion([=](Raced& raced) {
            raced.device.streams = false;
            raced.device.cold_ms = {cold_ms};
            raced.test.plugin = [&raced, works] {
                raced.call();
                // A cold call is what comes outside of a batch.
                if (works && raced.begun >= 12 && !raced.in_batch) work_for(0.0005);
            };
        });
    };
    CHECK(on_host(10 * kHotMs, false) == "");
    CHECK(contains(on_host(10 * kHotMs, true), "is the result remembered?"));
    CHECK(on_host(0.1 * kHotMs, false) == "");
}

TEST_CASE("an element of each input changes between the calls of a batch, on a GPU before the last one only") {
    for (const bool streams : {true, false}) {
        Raced raced;
        raced.device.streams = streams;
        int calls = 0;
        raced.test.plugin = [&] {
            ++calls;
            raced.call();
        };
        CHECK(raced.run().status == Status::ok);
        CAPTURE(streams, calls, raced.begun);
        // Two inputs. The warm-up takes batches of 1, 4 and 16 calls, or fewer.
        const int changes = raced.device.single_elements / 2;
        CHECK((streams ? changes <= raced.begun + 2 : changes > 3 * raced.begun));
        CHECK(changes >= raced.begun);
    }
}

TEST_CASE("a result of the inputs before the last change is wrong") {
    Raced raced;
    bool computed = false;
    raced.test.plugin = [&] {
        // Once a batch, as what looks at a few of the elements does.
        if (!std::exchange(computed, true)) raced.multiply();
        raced.now += 1e-3 * kHotMs;
    };
    raced.test.batch_begins = [&](bool) { computed = false; };
    CHECK(raced.run().status == Status::wrong);
}

TEST_CASE("a batch of two calls is suspicious if the second costs nothing, one of a single call is not") {
    const auto with_loops = [](int loops, double cold_ms) {
        return suspicion([=](Raced& raced) {
            raced.test.policy.batch_seconds = loops * 1e-3 * kHotMs;
            raced.device.cold_ms = {cold_ms};
            raced.test.batch_ended = [](bool, double, int) {};
        });
    };
    CHECK(contains(with_loops(2, 2 * kHotMs), "is the result remembered?"));
    CHECK(with_loops(2, 1.6 * kHotMs + 0.19) == "");
    CHECK(contains(with_loops(3, 3 * kHotMs), "is the result remembered?"));
    CHECK(with_loops(4, 3 * kHotMs) == "");
    CHECK(with_loops(1, 3 * kHotMs) == "");
}

TEST_CASE("an output that is wrong when it is timed is what the judge calls it, and has no times") {
    Raced raced;
    int calls = 0;
    raced.test.plugin = [&] {
        raced.call();
        if (++calls > 40) raced.problem.output()[7] += 1;
    };
    const Row& row = raced.run();
    CHECK(row.status == Status::wrong);
    CHECK(contains(row.message, "right when it was judged, but not when it was timed: 1 wrong of"));
    CHECK(row.wrong_elements == 1);
    CHECK(row.rho.value() > row.bound.value());
    CHECK(row.time_ms.empty());
    CHECK(!row.median_ms);
    CHECK(!row.ratio);

    Raced idle;
    idle.test.plugin = [&] { idle.now += 1e-3 * kHotMs; };
    CHECK(idle.run().status == Status::not_written);
    CHECK(idle.row.unwritten_elements == uint64_t(kShape.output_elements()));
}

TEST_CASE("where the plugin waits for its work in each call, the baseline is made to") {
    for (const bool waits : {true, false}) {
        Raced raced;
        raced.device.waits = waits;
        int waited = 0, calls = 0, before = 0;
        raced.test.baseline = [&] {
            waited += raced.device.synchronized > before;
            before = raced.device.synchronized;
            ++calls;
            raced.call();
        };
        CHECK(raced.run().waits == waits);
        CAPTURE(waits, waited, calls);
        CHECK((waited == calls) == waits);
    }
}

TEST_CASE("times that cannot be true once, and can the second time, are those of the second time") {
    Raced raced;
    raced.device.cold_ms = {kHotMs / 8, kHotMs / 8, 2 * kHotMs, 2 * kHotMs};
    const Row& row = raced.run();
    CHECK(row.status == Status::ok);
    CHECK(row.message == "");
    CHECK(*row.cold_median_ms == 2 * kHotMs);
}

TEST_CASE("whether the plugin waits is not asked again where it is known") {
    Raced raced;
    raced.device.waits = false;
    raced.test.waits = true;
    CHECK(raced.run().waits);
}

TEST_CASE("the GPU's state is the median of its clocks, the most of its power and heat, and all that held it down") {
    Raced raced;
    raced.device.healths = {{.sm_mhz = 1000, .power_w = 300, .temperature_c = 60, .slowed_by = 0x4},
                            {.sm_mhz = 1980, .power_w = 700, .temperature_c = 50, .slowed_by = 0},
                            {.sm_mhz = 1980, .power_w = 500, .temperature_c = 55, .slowed_by = 0x40}};
    const Row& row = raced.run();
    CHECK(row.clock_mhz == 1980.0);
    CHECK(row.power_w == 700.0);
    CHECK(row.temperature_c == 60.0);
    CHECK(row.slowed_by == std::vector<std::string>{"power limit", "hardware thermal limit"});
}
