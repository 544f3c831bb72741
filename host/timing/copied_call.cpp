#include "timing/copied_call.h"

#include "base/statistics.h"

namespace judge {

namespace {

constexpr int kMostCalls = 8;
constexpr double kBudget = 0.3;  // seconds

// Seconds of one.
struct Sample {
    double total, gpu, kernel, cpu;
};

Sample time_one(const CopiedCallHooks& hooks) {
    const auto record = [&](int point) {
        if (hooks.stream_times != nullptr) hooks.stream_times->record(point);
    };
    const double start = hooks.seconds(), cpu_start = hooks.cpu_seconds();
    record(0);
    hooks.copy_in();
    record(1);
    const double call_start = hooks.seconds();
    hooks.call();
    const double call_end = hooks.seconds();
    record(2);
    hooks.copy_out();
    record(3);
    const double cpu = hooks.cpu_seconds() - cpu_start, total = hooks.seconds() - start;
    if (hooks.stream_times == nullptr) return {total, 0, call_end - call_start, cpu};
    return {total, hooks.stream_times->seconds(0, 3), hooks.stream_times->seconds(1, 2), cpu};
}

double median_ms(const std::vector<Sample>& samples, double Sample::*part) {
    std::vector<double> ms;
    for (const Sample& sample : samples) ms.push_back(1e3 * sample.*part);
    return median(ms);
}

}  // namespace

CopiedCall time_copied_call(const CopiedCallHooks& hooks) {
    std::vector<Sample> samples;
    const double start = hooks.seconds();
    do {
        samples.push_back(time_one(hooks));
    } while (samples.size() < kMostCalls && hooks.seconds() - start < kBudget);
    if (samples.size() > 1) samples.erase(samples.begin());
    CopiedCall found;
    found.total_ms = median_ms(samples, &Sample::total);
    if (hooks.stream_times != nullptr) found.gpu_ms = median_ms(samples, &Sample::gpu);
    found.kernel_ms = median_ms(samples, &Sample::kernel);
    found.cpu_ms = median_ms(samples, &Sample::cpu);
    return found;
}

}  // namespace judge
