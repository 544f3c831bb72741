#include "timing/host_time.h"

#include <algorithm>

namespace judge {

double host_seconds(const Call& call, const RaceHooks& hooks, double call_seconds) {
    constexpr int kCalls = 4, kMostSamples = 25;
    constexpr double kBudget = 0.05;  // seconds that the device works on it
    const double wanted = kBudget / (kCalls * std::max(call_seconds, 1e-6));
    const int count = static_cast<int>(std::clamp(wanted, 1.0, double{kMostSamples}));
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) {
        hooks.synchronize();
        const double start = hooks.seconds();
        for (int j = 0; j < kCalls; ++j) call();
        samples.push_back((hooks.seconds() - start) / kCalls);
    }
    hooks.synchronize();
    return median(samples);
}

}  // namespace judge
