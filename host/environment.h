// Where and how the figures were taken: what has to stand beside each of them.
#pragma once

#include "options.h"
#include "record.h"
#include "selection.h"

namespace judge {

// GPU, driver and CUDA runtime (null without a GPU), processor, cores, compiler, date (UTC, ISO 8601), seed, command
// line.
Json describe_environment(const Options& options, const Selection& selection);

}  // namespace judge
