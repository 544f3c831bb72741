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

}  // namespace judge
