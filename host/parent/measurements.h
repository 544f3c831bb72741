// What is measured beside the time, where that is asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parent/options.h"
#include "parent/selection.h"

namespace judge {

// A line for each measurement that this run asks for and cannot make of some plugin, with the reason and what to do.
// `ncu` is where it was found, empty for nowhere.
std::vector<std::string> not_measured(const Options& options, const Selection& selection,
                                      const std::filesystem::path& ncu);

}  // namespace judge
