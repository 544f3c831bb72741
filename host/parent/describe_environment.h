// Finds out where and how this run takes its figures: what has to be kept beside each of them.
#pragma once

#include "parent/options.h"
#include "parent/selection.h"
#include "values/record.h"

namespace judge {

// GPU, what bounds its speed, driver and CUDA runtime (null without a GPU), processor, cores, compiler, date (UTC, ISO
// 8601), operation, seed, data, command line.
Json describe_environment(const Options& options, const Selection& selection);

}  // namespace judge
