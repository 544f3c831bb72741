// What trials tell of a plugin, in words: a line of a row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "values/target.h"
#include "values/trial.h"

namespace judge {

constexpr const char* kTakesContractionLast = "N is the contraction here; this kernel takes M, K, N";

// What it cannot do, in one line that ends in a command which repeats a failure; empty if nothing failed.
std::string describe(const std::vector<Trial>& trials, Target device, const std::string& path);

// After one of noted_trials() failed for its many rows or columns: the one to make next, to find out with how many it
// begins; nothing once that is known.
std::optional<Trial> next_noted_trial(const std::vector<Trial>& trials, Target device);

// That a trial failed after other calls and is right alone, in one line; empty if none did.
std::string describe_dependence(const std::vector<Trial>& trials, Target device);

// What came of noted_trials(), in one line; empty if none failed.
std::string describe_noted(const std::vector<Trial>& trials, Target device);

// Of a plugin that was wrong, or crashed, where it was asked: what it may have been written for instead.
std::vector<Trial> mistake_trials();

// What these found, or general trials, to be added to the message of a row; empty if nothing explains it.
std::string explain_failure(const std::vector<Trial>& trials, Target device);

}  // namespace judge
