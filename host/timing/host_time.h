// How long a call keeps the host.
#pragma once

#include "timing/timing.h"

namespace judge {

// Seconds from a call to its return, of a call that enqueues its work: the median of samples, each the mean of four
// calls on a device that has nothing to do. `call_seconds` is how long the device takes for one.
double host_seconds(const Call& call, const RaceHooks& hooks, double call_seconds);

}  // namespace judge
