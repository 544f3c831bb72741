#include "host/timing/timing.h"

#include <string>

#include "tests/catch.h"

using namespace judge;

namespace {

// A device whose calls take as long as the test says, and a log of what was done with it. All times are sums of
// powers of two, so that nothing is rounded.
struct FakeDevice {
    double now = 128;
    double pending = 0;  // work that was started and not waited for
    // p: plugin, b: baseline, s: synchronisation, r: renewed, v: verified, c: flushed, < and >: around a batch, [ and
    // ]: around one of the baseline's
    std::string log;
    int plugin_calls = 0;
    int baseline_calls = 0;
    std::function<double(int)> plugin_seconds = [](int) { return 0x1p-7; };
    std::function<double(int)> baseline_seconds = [](int) { return 0x1p-6; };
    std::function<std::string(int)> verdict = [](int) { return ""; };
    int verified = 0;
    std::vector<double> batches;

    RaceHooks hooks() {
        RaceHooks hooks;
        hooks.seconds = [this] { return now; };
        hooks.synchronize = [this] {
            now += pending;
            pending = 0;
            log += 's';
        };
        hooks.renew = [this] { log += 'r'; };
        hooks.verify = [this] {
            log += 'v';
            return verdict(verified++);
        };
        hooks.cold_seconds = [this](const Call& call) {
            log += 'c';
            const double before = pending;
            call();
            const double seconds = pending - before + 0x1p-10;  // what the empty caches cost
            now += pending + 0x1p-10;
            pending = 0;
            return seconds;
        };
        hooks.batch_begins = [this](bool of_baseline) { log += of_baseline ? '[' : '<'; };
        hooks.batch_ended = [this](bool of_baseline, double seconds, int) {
            log += of_baseline ? ']' : '>';
            batches.push_back(seconds);
        };
        return hooks;
    }
    Call plugin() {
        return [this] {
            log += 'p';
            pending += plugin_seconds(plugin_calls++);
        };
    }
    Call baseline() {
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

// Batches of an eighth of a second.
constexpr Policy kEighth{
    .batch_seconds = 0x1p-3, .budget_seconds = 100, .precision = 0.01, .least_blocks = 6, .cold_calls = 4};

}  // namespace

TEST_CASE("a batch is as many calls as fill it, work that is still running included") {
    FakeDevice device;
    const Race result = race(device.plugin(), {}, device.hooks(), kEighth);
    CHECK(result.loops == 16);
    CHECK(result.hot.plugin_ms == std::vector<double>(2 * 6, 1e3 * 0x1p-7));
    CHECK(result.hot.baseline_ms.empty());
    CHECK(device.batches == std::vector<double>(2 * 6, 0x1p-3));
    CHECK(result.cold.plugin_ms == std::vector<double>(2 * 2, 1e3 * (0x1p-7 + 0x1p-10)));
}

TEST_CASE("a call longer than a batch is timed once a sample, and no more often than the budget allows") {
    FakeDevice device;
    device.plugin_seconds = [](int) { return 64.0; };
    const Race result = race(device.plugin(), {}, device.hooks(), kEighth);
    CHECK(result.loops == 1);
    CHECK(result.hot.plugin_ms == std::vector<double>(2, 64e3));
    CHECK(result.cold.plugin_ms.size() == 2);
    CHECK(device.plugin_calls == 1 + 2 + 2);
}

TEST_CASE("waiting until a batch may begin spends nothing of the budget") {
    FakeDevice device;
    device.plugin_seconds = device.baseline_seconds = [](int) { return 16.0; };
    RaceHooks hooks = device.hooks();
    hooks.batch_begins = [&](bool of_baseline) { device.now += of_baseline ? 512 : 0; };
    const Race result = race(device.plugin(), device.baseline(), hooks, kEighth);
    CHECK(result.hot.plugin_ms == std::vector<double>(4, 16e3));
    CHECK(result.hot.baseline_ms == std::vector<double>(4, 16e3));
}

TEST_CASE("half a block is enough if that spends the budget") {
    FakeDevice device;
    device.plugin_seconds = [](int) { return 128.0; };
    const Race result = race(device.plugin(), device.baseline(), device.hooks(), kEighth);
    CHECK(result.hot.plugin_ms.size() == 1);
    CHECK(result.hot.baseline_ms.size() == 1);
    CHECK(result.hot.ratios().size() == 1);
    CHECK(result.cold.plugin_ms.size() == 1);
}

TEST_CASE("behind the baseline's first calls the plugin is called once untimed, where that is asked for") {
    for (const bool asked : {false, true}) {
        FakeDevice device;
        device.plugin_seconds = [](int call) { return call == 0 ? 256.0 : 128.0; };
        RaceHooks hooks = device.hooks();
        hooks.plugin_follows_baseline = asked;
        const Race result = race(device.plugin(), device.baseline(), hooks, kEighth, 128);
        CHECK(result.hot.plugin_ms == std::vector<double>(1, asked ? 128e3 : 256e3));
    }
}

TEST_CASE("calls shorter than a batch get the least number of samples, whatever the clock says") {
    FakeDevice device;
    Policy policy = kEighth;
    policy.budget_seconds = 0;
    const Race result = race(device.plugin(), device.baseline(), device.hooks(), policy);
    CHECK(result.hot.plugin_ms.size() == 2 * 6);
    CHECK(median_interval(result.hot.ratios()));
    CHECK(result.cold.plugin_ms.size() == 2);
}

TEST_CASE("a batch is not shorter than was asked") {
    FakeDevice device;
    device.plugin_seconds = [](int) { return 3 * 0x1p-8; };  // 10 and two thirds of them fill a batch
    CHECK(race(device.plugin(), {}, device.hooks(), kEighth).loops == 11);
}

TEST_CASE("a clock that stands still does not make the warm-up endless") {
    FakeDevice device;
    int calls = 0;
    RaceHooks standing = device.hooks();
    standing.seconds = [] { return 1.0; };
    CHECK(race([&] { ++calls; }, {}, standing, kEighth).loops == 1 << 20);
}

TEST_CASE("a block is plugin, baseline, baseline, plugin, on other inputs each time, the plugin's outputs checked") {
    FakeDevice device;
    race(device.plugin(), device.baseline(), device.hooks(), kEighth);
    const std::string p = "rs<s" + times(16, "p") + "s>v", b = "rs[s" + times(8, "b") + "s]";
    const std::string timed = times(6, p + b + b + p) + times(2, "rcpvrcbrcbrcpv");
    REQUIRE(device.log.size() > timed.size());
    CHECK(device.log.substr(device.log.size() - timed.size()) == timed);
    const std::string warm_up = device.log.substr(0, device.log.size() - timed.size());
    CHECK(warm_up.find('p') != std::string::npos);
    CHECK(warm_up.find('b') != std::string::npos);
}

TEST_CASE("an odd number of cold calls ends with half a block: the plugin, and then the baseline") {
    Policy policy = kEighth;
    for (const auto& [calls, log] : {std::pair{1, "rcpvrcb"}, {3, "rcpvrcbrcbrcpvrcpvrcb"}}) {
        policy.cold_calls = calls;
        FakeDevice device;
        const Race result = race(device.plugin(), device.baseline(), device.hooks(), policy);
        CHECK(result.cold.plugin_ms.size() == size_t(calls));
        CHECK(result.cold.baseline_ms.size() == size_t(calls));
        CHECK(result.cold.ratios().size() == size_t(calls + 1) / 2);
        CHECK(device.log.substr(device.log.find('c') - 1) == log);
    }
}

TEST_CASE("between the calls of a batch the inputs change, and how many calls it has is not known before") {
    FakeDevice device;
    RaceHooks hooks = device.hooks();
    std::vector<int> left, asked;
    hooks.change = [&](int calls) { left.push_back(calls); };
    hooks.calls_in_batch = [&](int loops) { return asked.push_back(loops), asked.size() % 2 ? 3 : 2; };
    Policy policy = kEighth;
    policy.budget_seconds = 0;
    policy.least_blocks = 0;  // half a block
    const Race result = race(device.plugin(), device.baseline(), hooks, policy);
    CHECK(result.loops == 16);
    CHECK(asked == std::vector<int>{16, 8});
    REQUIRE(left.size() >= 3);  // after those of the warm-up
    CHECK(std::vector<int>(left.end() - 3, left.end()) == std::vector<int>{2, 1, 1});
    CHECK(result.hot.plugin_ms == std::vector<double>{1e3 * 0x1p-7});
    CHECK(result.hot.baseline_ms == std::vector<double>{1e3 * 0x1p-6});
}

TEST_CASE("where there is a clock of CPU time, the plugin's calls are timed by it too") {
    FakeDevice device;
    RaceHooks hooks = device.hooks();
    hooks.cpu_seconds = [&] { return 0x1p-8 * device.plugin_calls; };
    const Race result = race(device.plugin(), device.baseline(), hooks, kEighth);
    CHECK(result.hot.plugin_cpu_ms == std::vector<double>(12, 1e3 * 0x1p-8));
    CHECK(result.cold.plugin_cpu_ms == std::vector<double>(4, 1e3 * 0x1p-8));
}

TEST_CASE("a drift that slows both down changes the samples and hardly the ratio") {
    FakeDevice device;
    // Every batch takes a 64th longer than the one before it, whose ever it is.
    int batches = 0;
    RaceHooks hooks = device.hooks();
    hooks.batch_begins = [&](bool) { ++batches; };
    device.plugin_seconds = [&](int) { return 0x1p-7 * (1 + batches / 64.0); };
    device.baseline_seconds = [&](int) { return 0x1p-6 * (1 + batches / 64.0); };
    const Race result = race(device.plugin(), device.baseline(), hooks, kEighth);
    CHECK(result.hot.plugin_ms.back() > 1.2 * result.hot.plugin_ms.front());
    for (const double ratio : result.hot.ratios()) CHECK(ratio == 2.0);
}

TEST_CASE("a race goes on until its ratio is known, or the budget is spent") {
    FakeDevice steady;
    CHECK(race(steady.plugin(), steady.baseline(), steady.hooks(), kEighth).hot.ratios().size() == 6);

    // Every other block the plugin is twice as fast: no interval of the ratio is ever narrow.
    FakeDevice noisy;
    noisy.plugin_seconds = [](int call) { return call / 32 % 2 ? 0x1p-8 : 0x1p-7; };
    const Race result = race(noisy.plugin(), noisy.baseline(), noisy.hooks(), kEighth);
    CHECK(result.hot.ratios().size() > 100);
    CHECK(result.hot.ratios().size() < 100 / (2 * 0x1p-3) + 2);  // the baseline alone fills the budget by then
}

TEST_CASE("the race ends at the first output that is wrong") {
    FakeDevice hot;
    hot.verdict = [](int check) { return check == 2 ? "late" : ""; };
    const Race result = race(hot.plugin(), hot.baseline(), hot.hooks(), kEighth);
    CHECK(result.wrong == "late");
    CHECK(hot.verified == 3);
    CHECK(result.cold.plugin_ms.empty());

    FakeDevice cold;
    cold.verdict = [](int check) { return check == 12 ? "cold" : ""; };
    CHECK(race(cold.plugin(), cold.baseline(), cold.hooks(), kEighth).wrong == "cold");
    CHECK(cold.log.back() == 'v');
}

TEST_CASE(
    "a block's ratio is the sum of the baseline's two over the plugin's two, above 1 where the plugin is faster") {
    Samples samples;
    samples.plugin_ms = {1, 3, 2, 2};
    samples.baseline_ms = {4, 4, 1, 1};
    CHECK(samples.ratios() == std::vector<double>{2, 0.5});
    samples.plugin_ms.push_back(2);
    samples.baseline_ms.push_back(6);
    CHECK(samples.ratios() == std::vector<double>{2, 0.5, 3});  // half a block
    samples.baseline_ms = {};
    CHECK(samples.ratios().empty());
}

TEST_CASE("every effort has a least number of blocks that gives an interval, and the CPU has less time than the GPU") {
    for (const Effort effort : {Effort::quick, Effort::normal, Effort::thorough}) {
        for (const bool on_gpu : {false, true}) {
            const Policy policy = policy_for(effort, on_gpu);
            CHECK(median_interval(std::vector<double>(policy.least_blocks, 1.0)));
            CHECK(4 * policy.least_blocks * policy.batch_seconds < policy.budget_seconds);
        }
        CHECK(policy_for(effort, false).cold_calls >= 2);
        CHECK(policy_for(effort, false).budget_seconds > 0.05);
    }
    for (const Effort effort : {Effort::normal, Effort::thorough}) {
        CHECK(policy_for(effort, false).batch_seconds < policy_for(effort, true).batch_seconds);
        CHECK(policy_for(effort, false).budget_seconds < policy_for(effort, true).budget_seconds);
    }
    for (const bool on_gpu : {false, true}) {
        CHECK(policy_for(Effort::quick, on_gpu).budget_seconds < policy_for(Effort::normal, on_gpu).budget_seconds);
        CHECK(policy_for(Effort::normal, on_gpu).budget_seconds < policy_for(Effort::thorough, on_gpu).budget_seconds);
    }
}
