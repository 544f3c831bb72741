#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace judge {

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

std::optional<Interval> median_interval(std::vector<double> samples) {
    // A sample is below the median with probability 1/2, so the median is below the k-th smallest of n exactly if fewer
    // than k of n coins show heads; as many may lie above the k-th largest.
    const size_t count = samples.size();
    constexpr size_t kMany = 1000;  // 2^-count would become 0: of so many, the normal distribution gives the same k
    double outside = 0, chance = std::exp2(-double(count));  // P(fewer than k heads), P(k heads)
    size_t k = count > kMany ? size_t((double(count) - 1.96 * std::sqrt(double(count))) / 2) : 0;
    while (count <= kMany && outside + chance <= 0.025) {
        outside += chance;
        chance *= double(count - k) / double(k + 1);
        ++k;
    }
    if (k == 0) return std::nullopt;
    std::sort(samples.begin(), samples.end());
    return Interval{samples[k - 1], samples[count - k]};
}

}  // namespace judge
