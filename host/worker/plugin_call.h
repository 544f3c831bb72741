// The entry of a plugin that is judged and timed.
#pragma once

#include "checks/problem.h"
#include "library/plugin.h"
#include "timing/timing.h"
#include "values/shape.h"

namespace judge {

bool does(const Plugin& plugin, Operation operation);

// A call on the problem's matrices, by the entry that computes such a problem; the plugin must have that one.
Call call_of(const Plugin& plugin, const Problem& problem);

// By a product that is large enough for a BLAS library to use all its threads, some of which start with the first.
void start_threads_of(const Plugin& baseline, Operation operation);

}  // namespace judge
