#include "timing/timing.h"

#include <algorithm>
#include <cmath>

namespace judge {

namespace {

class Runner {
  public:
    Runner(const RaceHooks& hooks, const Policy& policy) : hooks_(hooks), policy_(policy) {}

    // Warms up with growing batches until one is long enough to tell the time of a call; returns how many calls fill a
    // batch. The growth is fourfold, so that a call of 5 us is known after 5 ms. A call that is known to be longer than
    // a batch has been made before, and needs none of that.
    int loops_to_fill(const Call& call, double known_seconds) const {
        if (known_seconds > policy_.batch_seconds) return 1;
        constexpr int kMostLoops = 1 << 20;
        for (int loops = 1;; loops *= 4) {
            double seconds = batch_seconds(call, loops);
            // A single call that seems long may have waited for a core that others had: twice more, then.
            for (int again = 0;
                 again < 2 && loops == 1 && seconds > policy_.batch_seconds && seconds < 20 * policy_.batch_seconds;
                 ++again) {
                seconds = std::min(seconds, batch_seconds(call, loops));
            }
            if (seconds >= policy_.batch_seconds / 5 || loops >= kMostLoops) {
                const double fill = policy_.batch_seconds / std::max(seconds / loops, 1e-9);
                return static_cast<int>(std::clamp(std::ceil(fill), 1.0, double(kMostLoops)));
            }
        }
    }

    // Of a call, by the steady clock and by the CPU's.
    struct Time {
        double ms = 0, cpu_ms = 0;
    };

    Time batch(const Call& call, bool of_baseline, int loops) {
        const int calls = hooks_.calls_in_batch ? hooks_.calls_in_batch(loops) : loops;
        hooks_.renew();
        hooks_.synchronize();
        const double before = hooks_.seconds();
        hooks_.batch_begins(of_baseline);
        waited_ += hooks_.seconds() - before;
        const double cpu_start = cpu_seconds();
        const double seconds = batch_seconds(call, calls);
        const double cpu = cpu_seconds() - cpu_start;
        hooks_.batch_ended(of_baseline, seconds, calls);
        return {1e3 * seconds / calls, 1e3 * cpu / calls};
    }

    Time cold_call(const Call& call) const {
        hooks_.renew();
        if (!hooks_.cpu_seconds || !hooks_.cpu_of_cold_calls) return {1e3 * hooks_.cold_seconds(call), 0};
        double cpu = 0;
        const double seconds = hooks_.cold_seconds([&] {
            const double start = hooks_.cpu_seconds();
            call();
            cpu = hooks_.cpu_seconds() - start;
        });
        return {1e3 * seconds, 1e3 * cpu};
    }

    void warm(const Call& call) const {
        call();
        hooks_.synchronize();
    }

    // Less what it took until batches could begin. (A plugin whose threads are not quiet holds the first one up for 200
    // ms; a budget of 333 ms, spent on that, left single calls of the baseline, in which little was seen of them.)
    double now() const { return hooks_.seconds() - waited_; }
    std::string verify() const { return hooks_.verify(); }

  private:
    double batch_seconds(const Call& call, int loops) const {
        hooks_.synchronize();
        const double start = hooks_.seconds();
        for (int left = loops; left > 0; --left) {
            if (hooks_.change && left < loops) hooks_.change(left);
            call();
        }
        hooks_.synchronize();
        return hooks_.seconds() - start;
    }

    double cpu_seconds() const { return hooks_.cpu_seconds ? hooks_.cpu_seconds() : 0; }

    const RaceHooks& hooks_;
    const Policy& policy_;
    double waited_ = 0;
};

// Adds half a block to the samples: the first half is the plugin and then the baseline, the second the other way round.
// Returns what is wrong with an output.
template <class TimePlugin, class TimeBaseline>
std::string run_half(Samples& samples, bool second, const Runner& runner, TimePlugin time_plugin,
                     TimeBaseline time_baseline) {
    if (second) time_baseline();
    const auto time = time_plugin();
    samples.plugin_ms.push_back(time.ms);
    samples.plugin_cpu_ms.push_back(time.cpu_ms);
    std::string wrong = runner.verify();
    if (wrong.empty() && !second) time_baseline();
    return wrong;
}

bool precise(const Samples& samples, double precision) {
    const std::vector<double> values = samples.baseline_ms.empty() ? samples.plugin_ms : samples.ratios();
    const auto interval = median_interval(values);
    return interval && interval->half_width() <= precision * median(values);
}

}  // namespace

Policy policy_for(Effort effort, bool on_gpu) {
    Policy policy{.batch_seconds = 0.02, .budget_seconds = 1, .precision = 0.005, .least_blocks = 6, .cold_calls = 6};
    if (effort == Effort::quick) {
        policy = {.batch_seconds = on_gpu ? 0.001 : 0.004,
                  .budget_seconds = on_gpu ? 0.05 : 0.2,
                  .precision = 0.02,
                  .least_blocks = 6,
                  .cold_calls = on_gpu ? 1 : 2};
    } else if (effort == Effort::thorough) {
        policy = {
            .batch_seconds = 0.05, .budget_seconds = 10, .precision = 0.001, .least_blocks = 12, .cold_calls = 30};
    }
    if (!on_gpu) {
        policy.batch_seconds /= 4;
        policy.budget_seconds /= 3;
    }
    return policy;
}

std::vector<double> Samples::ratios() const {
    std::vector<double> ratios;
    const size_t count = std::min(plugin_ms.size(), baseline_ms.size());
    for (size_t i = 0; i < count; i += 2) {
        const auto sum = [&](const std::vector<double>& ms) { return ms[i] + (i + 1 < count ? ms[i + 1] : 0); };
        ratios.push_back(sum(baseline_ms) / sum(plugin_ms));
    }
    return ratios;
}

Race race(const Call& plugin, const Call& baseline, const RaceHooks& hooks, const Policy& policy, double call_seconds) {
    Runner runner(hooks, policy);
    Race result;
    result.loops = runner.loops_to_fill(plugin, call_seconds);
    const int baseline_loops = baseline ? runner.loops_to_fill(baseline, 0) : 0;
    if (baseline && hooks.plugin_follows_baseline) runner.warm(plugin);

    const auto half = [&](Samples& samples, bool second, auto time) {
        return run_half(
            samples, second, runner, [&] { return time(plugin, false, result.loops); },
            [&] {
                if (baseline) samples.baseline_ms.push_back(time(baseline, true, baseline_loops).ms);
            });
    };
    double start = runner.now();
    // Where many calls fill a batch, the least number of blocks takes a fraction of the budget; if it does not, others
    // have the cores, and the blocks are made all the same: how many samples there are does not depend on them.
    const bool is_short = result.loops > 1 && (!baseline || baseline_loops > 1);
    const auto spent = [&](bool enough) {
        return (enough || !is_short) && runner.now() - start > policy.budget_seconds;
    };
    for (int halves = 1;; ++halves) {
        const bool second = halves % 2 == 0;
        result.wrong = half(result.hot, second, [&](const Call& call, bool of_baseline, int loops) {
            return runner.batch(call, of_baseline, loops);
        });
        if (!result.wrong.empty()) return result;
        const bool enough = halves / 2 >= policy.least_blocks;
        if (spent(enough)) break;
        if (second && enough && precise(result.hot, policy.precision)) break;
    }
    start = runner.now();
    for (int calls = 0; calls < policy.cold_calls && (calls == 0 || !spent(calls > 1)); ++calls) {
        result.wrong =
            half(result.cold, calls % 2 == 1, [&](const Call& call, bool, int) { return runner.cold_call(call); });
        if (!result.wrong.empty()) return result;
    }
    return result;
}

}  // namespace judge
