// Races a plugin that was found right, and judges its times: whether they can be true at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "checks/problem.h"
#include "device/device.h"
#include "timing/timing.h"
#include "values/record.h"

namespace judge {

struct SpeedTest {
    Call plugin;
    Call baseline;  // empty: against nothing
    // See Bystanders: asked before each batch of the baseline, since what the plugin does may have ended some of them.
    std::function<std::set<pid_t>()> own_threads;
    bool adopted = false;

    Policy policy;
    double call_seconds = 0;              // see race()
    std::optional<bool> waits;            // whether the plugin waits for its work, if that is known already
    std::function<uint64_t()> next_seed;  // of other inputs, none twice
    std::function<double()> seconds;      // see RaceHooks
    std::function<void(bool of_baseline)> batch_begins;
    std::function<void(bool of_baseline, double seconds, int calls)> batch_ended;
};

// Fills in the row's times, ratio and the GPU's state. The row stays ok, or becomes suspicious, or what the judge says
// of an output that was wrong when it was timed. The problem must have been judged.
void test_speed(const SpeedTest& test, Problem& problem, Device& device, Row& row);

}  // namespace judge
