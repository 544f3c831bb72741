// Where and how the figures were taken: what has to stand beside each of them.
#pragma once

#include "parent/options.h"
#include "parent/selection.h"
#include "values/record.h"

namespace judge {

// GPU, driver and CUDA runtime (null without a GPU), processor, cores, compiler, date (UTC, ISO 8601), operation, seed,
// data, command line.
Json describe_environment(const Options& options, const Selection& selection);

// A field that holds text; empty where it is absent or null.
std::string text_of(const Json& environment, const char* key);

// What the figures were measured on, for a heading: the GPU, its driver and CUDA, or the processor and its cores.
std::string machine(const Json& environment);

}  // namespace judge
