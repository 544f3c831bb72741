// Statistics of samples: the centre, the spread, and an interval that holds the median. The mean, the deviation and the
// median are of one sample at least.
#pragma once

#include <optional>
#include <vector>

namespace judge {

double mean(const std::vector<double>& samples);
double standard_deviation(const std::vector<double>& samples);  // of the population, as %timeit has it
double median(std::vector<double> samples);

struct Interval {
    double low;
    double high;

    bool contains(double value) const { return low <= value && value <= high; }
    double half_width() const { return (high - low) / 2; }
};

// Where the median of what the samples were drawn from lies, with a probability of at least 95 %: between the k-th
// smallest and the k-th largest sample, for the largest k that the binomial distribution allows. That assumes nothing
// of the distribution of the samples, which for times is skewed and has outliers. None below 6 samples: even all of
// them, from the smallest to the largest, are then not 95 % (2 * 2^-5 is 6 %).
std::optional<Interval> median_interval(std::vector<double> samples);

}  // namespace judge
