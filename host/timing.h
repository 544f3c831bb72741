// How long a call takes, and how much longer or shorter than the baseline's.
#pragma once

#include <functional>
#include <vector>

namespace judge {

// Time is taken by the host's clock between two synchronisations of the whole device, around a batch that fills about
// 0.1 s. That covers work on any stream, whoever created it, which CUDA events on the default stream do not (a plugin
// on a stream of its own measured 97 times too fast by events); and over 0.1 s the two synchronisations, about 10 us,
// are a hundredth of a percent.
struct Stopwatch {
    std::function<double()> seconds;    // a steady clock
    std::function<void()> synchronize;  // waits for all work of the device
};

Stopwatch steady_stopwatch(std::function<void()> synchronize);

struct Policy {
    int runs = 7;                // samples, as %timeit takes
    double batch_seconds = 0.1;  // each is the mean of as many calls as fill this
};

struct Race {
    int loops = 0;                    // calls in a batch of the plugin
    std::vector<double> plugin_ms;    // one sample a run: the mean of a batch
    std::vector<double> baseline_ms;  // the same for the baseline, run right after it; empty without a baseline
};

// Warms both up, then times `runs` batches of each, a plugin's and a baseline's in turn, so that what changes slowly
// (clocks, temperature, other work) changes both. `baseline` may be empty.
Race race(const std::function<void()>& plugin, const std::function<void()>& baseline, const Stopwatch& stopwatch,
          const Policy& policy = {});

double mean(const std::vector<double>& samples);
double standard_deviation(const std::vector<double>& samples);  // of the population, as %timeit has it
double median(std::vector<double> samples);

// The median over the runs of baseline / plugin. There must have been a baseline.
double ratio(const Race& race);

}  // namespace judge
