// What Nsight Compute's command line prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// The metrics by which counters_of knows them, for --metrics.
const std::vector<std::string>& counter_metrics();

// Of `ncu --csv --page raw`: the kernels of the call together, or nothing where it has none. A counter is absent where
// its column is, has no number ("n/a"), or has a unit that is not known.
std::optional<Counters> counters_of(const std::string& output);

// Why there are no counters, by what ncu said.
struct CountersRefused {
    std::string why;
    bool always = false;  // whatever the plugin: here nobody, or not this user, gets any
};
CountersRefused refusal_of(const std::string& output);

}  // namespace judge
