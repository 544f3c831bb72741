// How long a call takes, and how much longer or shorter than the baseline's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "values/effort.h"

namespace judge {

using Call = std::function<void()>;

// What a race needs of a device and a problem. Nothing here knows either, so that a test can fake them.
struct RaceHooks {
    // A steady clock, and a wait for all work of the device. A batch lies between two of these waits: that covers work
    // on any stream, whoever created it, which CUDA events on the default stream do not (a plugin on a stream of its
    // own measured 97 times too fast by events). The two waits are about 10 us, in a batch of 20 ms 0.05 %, and the
    // same for the plugin and the baseline.
    std::function<double()> seconds;
    std::function<void()> synchronize;

    // Before every batch and every cold call, not timed: other inputs in the same memory, a poisoned output.
    std::function<void()> renew;
    // Between the calls of a batch, and timed with them: other inputs again, by an element or two. `left` is how many
    // calls of the batch follow. May be empty.
    std::function<void(int left)> change;
    // How many calls a batch has in which `loops` fit, so that a plugin cannot count which one is looked at. Empty:
    // all.
    std::function<int(int loops)> calls_in_batch;
    // After every batch and every cold call of the plugin, not timed: what is wrong with the output, empty if nothing.
    std::function<std::string()> verify;

    // Seconds of one call that finds nothing in the caches.
    std::function<double(const Call&)> cold_seconds;

    // CPU time of the whole process, of the batches and, where that costs a cold call nothing that counts, of those.
    std::function<double()> cpu_seconds;
    bool cpu_of_cold_calls = true;

    // Told when a batch begins, and what its calls took once it has ended, so that another process can time it too, and
    // somebody can watch what else runs beside the baseline.
    std::function<void(bool of_baseline)> batch_begins;
    std::function<void(bool of_baseline, double seconds, int calls)> batch_ended;

    // Whether the plugin is called once more, untimed, behind the first calls of a baseline, which take memory of the
    // device: at 8192 on two GPUs the next call took 41 ms, and others 11.
    bool plugin_follows_baseline = false;
};

struct Policy {
    double batch_seconds;   // hot: as many calls as fill this, back to back
    double budget_seconds;  // for hot blocks, and again for cold ones: after it no further half block is begun, except
                            // up to least_blocks, and to two cold calls, if a call is shorter than a batch; what
                            // batch_begins takes is not counted
    double precision;       // hot: the race ends when half the ratio's 95 % interval is this part of it or less
    int least_blocks;       // hot: before the precision counts and, where a call is shorter than a batch, the budget
    int cold_calls;         // cold: of each, two in a block; an odd number ends with half a block: plugin, baseline
};

// On the CPU no synchronisation goes into a batch, so a quarter as long a one says as much. A third of the budget keeps
// a second `make run` without a GPU below 30 s on two cores: 14 s to execute the emulated plugins, 13 s to race the
// CPU's. But no less than 70 ms: other programs take a core for some milliseconds at a time, and a single cold call, or
// all hot ones, that waited for it look like times that cannot be true (4 of 15 rows of --quick at once, within 17 ms).
Policy policy_for(Effort effort, bool on_gpu);

// One sample of `hot` is the mean of a batch, of `cold` one call, in milliseconds. Blocks run plugin, baseline,
// baseline, plugin: two samples of each, with nothing that drifts (clocks, temperature, other work) in favour of one.
struct Samples {
    std::vector<double> plugin_ms;
    std::vector<double> baseline_ms;    // empty without a baseline
    std::vector<double> plugin_cpu_ms;  // CPU time of the plugin's; zeros without such a clock

    std::vector<double> ratios()
        const;  // one per block, or half: baseline / plugin, above 1 where the plugin is faster
};

struct Race {
    int loops = 0;  // calls that fill a batch of the plugin
    Samples hot, cold;
    std::string wrong;  // what verify said; the race ended there
};

// `baseline` may be empty. `call_seconds` is the least that a call of the plugin was seen to take, 0 if none was.
Race race(const Call& plugin, const Call& baseline, const RaceHooks& hooks, const Policy& policy,
          double call_seconds = 0);

}  // namespace judge
