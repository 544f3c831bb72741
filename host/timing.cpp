#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace judge {

namespace {

double batch_seconds(const std::function<void()>& call, int loops, const Stopwatch& stopwatch) {
    stopwatch.synchronize();
    const double start = stopwatch.seconds();
    for (int i = 0; i < loops; ++i) call();
    stopwatch.synchronize();
    return stopwatch.seconds() - start;
}

// Warms up with growing batches until one is long enough to tell the time of a call; returns how many calls fill a
// batch. The growth is fourfold, so that a call of 5 us is known after 20 ms.
int loops_to_fill(const std::function<void()>& call, const Stopwatch& stopwatch, const Policy& policy) {
    constexpr int kMostLoops = 1 << 20;
    batch_seconds(call, 1, stopwatch);  // loads the module, creates handles: not part of the time of a call
    for (int loops = 1;; loops *= 4) {
        const double seconds = batch_seconds(call, loops, stopwatch);
        if (seconds >= policy.batch_seconds / 5 || loops >= kMostLoops) {
            const double fill = policy.batch_seconds / std::max(seconds / loops, 1e-9);
            return static_cast<int>(std::clamp(std::ceil(fill), 1.0, double(kMostLoops)));
        }
    }
}

}  // namespace

Stopwatch steady_stopwatch(std::function<void()> synchronize) {
    const auto seconds = [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    return {seconds, std::move(synchronize)};
}

Race race(const std::function<void()>& plugin, const std::function<void()>& baseline, const Stopwatch& stopwatch,
          const Policy& policy) {
    Race result;
    result.loops = loops_to_fill(plugin, stopwatch, policy);
    const int baseline_loops = baseline ? loops_to_fill(baseline, stopwatch, policy) : 0;
    for (int run = 0; run < policy.runs; ++run) {
        result.plugin_ms.push_back(1e3 * batch_seconds(plugin, result.loops, stopwatch) / result.loops);
        if (!baseline) continue;
        result.baseline_ms.push_back(1e3 * batch_seconds(baseline, baseline_loops, stopwatch) / baseline_loops);
    }
    return result;
}

double mean(const std::vector<double>& samples) {
    return std::accumulate(samples.begin(), samples.end(), 0.0) / double(samples.size());
}

double standard_deviation(const std::vector<double>& samples) {
    const double centre = mean(samples);
    double sum = 0;
    for (const double sample : samples) sum += (sample - centre) * (sample - centre);
    return std::sqrt(sum / double(samples.size()));
}

double median(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const size_t middle = samples.size() / 2;
    return samples.size() % 2 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

double ratio(const Race& race) {
    std::vector<double> ratios;
    for (size_t run = 0; run < race.baseline_ms.size(); ++run) {
        ratios.push_back(race.baseline_ms[run] / race.plugin_ms[run]);
    }
    return median(ratios);
}

}  // namespace judge
