#include "timing/speed.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/processes.h"
#include "timing/bystanders.h"
#include "timing/host_time.h"
#include "values/data.h"
#include "values/precision_class.h"

namespace judge {

namespace {

// The GPU's state over the hot batches.
class HealthLog {
  public:
    void add(const std::optional<GpuHealth>& health) {
        if (!health) return;
        mhz_.push_back(health->sm_mhz);
        power_w_ = std::max(power_w_, health->power_w);
        temperature_c_ = std::max(temperature_c_, health->temperature_c);
        slowed_by_ |= health->slowed_by;
    }

    void put(Row& row) const {
        if (mhz_.empty()) return;
        row.clock_mhz = median(mhz_);
        row.power_w = power_w_;
        row.temperature_c = temperature_c_;
        row.slowed_by = slowdowns(slowed_by_);
    }

  private:
    std::vector<double> mhz_;
    double power_w_ = 0, temperature_c_ = 0;
    uint64_t slowed_by_ = 0;
};

void put_times(const Race& race, const Problem& problem, Row& row) {
    const Samples &hot = race.hot, &cold = race.cold;
    row.loops = race.loops;
    row.time_ms = hot.plugin_ms;
    row.baseline_ms = hot.baseline_ms;
    row.cold_ms = cold.plugin_ms;
    row.baseline_cold_ms = cold.baseline_ms;
    row.mean_ms = mean(hot.plugin_ms);
    row.deviation_ms = standard_deviation(hot.plugin_ms);
    row.median_ms = median(hot.plugin_ms);
    row.cold_median_ms = median(cold.plugin_ms);
    row.cpu_ms = median(hot.plugin_cpu_ms);
    row.tflops = problem.flops() / (*row.median_ms * 1e9);
    if (const auto ratios = hot.ratios(); !ratios.empty()) {
        row.ratio = median(ratios);
        row.ratio_interval = median_interval(ratios);
    }
    if (const auto ratios = cold.ratios(); !ratios.empty()) row.cold_ratio = median(ratios);
}

// With the FP32 units, which then bound its speed: claims FP32, or nothing, and is no less where it was measured. What
// claims nothing may be a TF32 kernel.
bool computes_in_fp32(const Row& row) {
    const std::string fp32 = to_string(PrecisionClass::fp32);
    return row.arithmetic == fp32 && (row.precision.empty() || row.precision == fp32);
}

// Why the times cannot be true; empty if they can.
std::string implausible(const Row& row, const Race& race, const Problem& problem, const Device& device) {
    const bool fp32 = computes_in_fp32(row);
    const double hot_ms = *row.median_ms, cold_ms = *row.cold_median_ms;
    // A twentieth for a clock above the nominal one.
    const double compute_ms = 1e3 * device.least_seconds(problem.flops(), fp32) / 1.05;
    if (std::min(hot_ms, cold_ms) < compute_ms) {
        return fmt::format("took {:.3g} ms, but this device's {} need {:.3g} ms for 2MNK operations",
                           std::min(hot_ms, cold_ms), fp32 ? "FP32 units" : "fastest units", compute_ms);
    }
    const double memory_ms = 1e3 * device.least_seconds_for_bytes(sizeof(float) * problem.elements()) / 1.05;
    if (cold_ms < memory_ms) {
        return fmt::format("took {:.3g} ms with cold caches, but its matrices need {:.3g} ms from memory", cold_ms,
                           memory_ms);
    }
    // From here on the extremes of the cold calls that speak for the plugin: on a busy machine one may take several
    // times as long as alone.
    const auto [least_cold_ms, most_cold_ms] = std::ranges::minmax(row.cold_ms);
    // A cold call is timed by itself, a hot one with all work of the device: no cold call is much faster. Without
    // streams there is no work left behind that it could miss, only other programs that slow the batches down.
    const double least_hot_ms = std::ranges::min(row.time_ms);
    if (device.has_streams() && most_cold_ms < 0.8 * least_hot_ms) {
        return fmt::format(
            "one call took {:.3g} ms, many in a row {:.3g} ms each: its work goes on after what the default stream "
            "waits for",
            most_cold_ms, least_hot_ms);
    }
    // A cold call has inputs of its own, the hot ones of a batch share most of theirs. Cold caches cost less than this:
    // 1.1 times and 0.01 ms by cuBLAS at 1024 on an H100, 0.1 ms where threads of the CPU have to wake up. A batch of 2
    // or 3 calls of which the first alone works cannot show as a third, but as a half; a single call has nothing to
    // remember. The median batch: that a few of them work says nothing for the others. On the CPU it must be so by CPU
    // time too, which does not grow while other programs have the cores.
    const double times = row.loops == 1 ? 3 : std::min(3.0, 0.8 * row.loops);
    const auto slower = [&](double cold, double hot) { return cold > times * hot + 0.2; };
    const bool by_cpu =
        device.has_streams() || slower(std::ranges::min(race.cold.plugin_cpu_ms), median(race.hot.plugin_cpu_ms));
    if (by_cpu && slower(least_cold_ms, hot_ms)) {
        return fmt::format(
            "a call on new inputs took {:.3g} ms, further ones on nearly the same inputs {:.3g} ms: is the result "
            "remembered?",
            least_cold_ms, hot_ms);
    }
    return {};
}

}  // namespace

void test_speed(const SpeedTest& test, Problem& problem, Device& device, Row& row) {
    HealthLog health;
    Verdict last;
    RaceHooks hooks;
    hooks.seconds = test.seconds;
    hooks.synchronize = [&] { device.synchronize(); };
    hooks.renew = [&] { problem.refresh(test.next_seed()); };
    // A store costs the host nothing. A GPU takes some microseconds for it, and has it before the last call only, the
    // one that is looked at.
    hooks.change = [&](int left) {
        if (left == 1 || !device.has_streams()) problem.change_an_element();
    };
    hooks.calls_in_batch = [&](int loops) {
        return loops - static_cast<int>(random_bits(test.next_seed(), 0) % (loops / 4 + 1));
    };
    hooks.cpu_seconds = process_cpu_seconds;
    hooks.cpu_of_cold_calls = !device.has_streams();  // a launch alone takes some microseconds
    hooks.plugin_follows_baseline = !device.computes_on_cores();
    hooks.verify = [&] {
        last = problem.check_again();
        return last.status == Status::ok ? std::string{} : last.message;
    };
    hooks.cold_seconds = [&](const Call& call) { return device.cold_seconds(call); };
    // What runs on a GPU does not mind what the cores do.
    std::optional<Bystanders> bystanders;
    if (device.computes_on_cores() && test.baseline) bystanders.emplace(test.adopted);
    hooks.batch_begins = [&](bool of_baseline) {
        if (of_baseline && bystanders) bystanders->wait_until_quiet(test.own_threads());
        test.batch_begins(of_baseline);
        if (of_baseline && bystanders) bystanders->batch_begins();
    };
    hooks.batch_ended = [&](bool of_baseline, double seconds, int calls) {
        if (of_baseline && bystanders) bystanders->batch_ended(seconds);
        test.batch_ended(of_baseline, seconds, calls);
        health.add(device.health());
    };

    // A plugin that waits for its work in every call pays for it, 5 to 10 us each time; so does the baseline, then.
    row.waits = test.waits ? *test.waits : device.waits_for_its_work(test.plugin);
    Call baseline = test.baseline;
    if (baseline && row.waits) {
        baseline = [&] {
            test.baseline();
            device.synchronize();
        };
    }
    // Times that cannot be true are measured twice more: on two cores that others used, too, 3 of 45 quick rows were
    // such.
    std::string why;
    for (int races = 0; races == 0 || (races < 3 && !why.empty()); ++races) {
        const Race result = race(test.plugin, baseline, hooks, test.policy, test.call_seconds);
        if (!result.wrong.empty()) {
            put_verdict(row, last);
            row.message = "right when it was judged, but not when it was timed: " + result.wrong;
            return;
        }
        put_times(result, problem, row);
        why = implausible(row, result, problem, device);
    }
    if (!row.waits) row.host_us = 1e6 * host_seconds(test.plugin, hooks, 1e-3 * *row.median_ms);
    if (why.empty() && bystanders) {
        why = bystanders->complaint();
        if (!why.empty()) drop_ratio(row);
    }
    health.put(row);
    if (why.empty()) return;
    row.status = Status::suspicious;
    add_note(row, why);
}

}  // namespace judge
