// Is anything slower than it was? Against the file of an earlier run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "values/saved_run.h"

namespace judge {

// Throws UsageError, naming the option that gave the file, the file and what is wrong with it.
SavedRun load_run(const std::filesystem::path& file, const std::string& option = "--against");

// What makes times of the two not comparable, and what to do about it; empty if nothing does. Another GPU or processor;
// or matrices filled with other data, which decide how much power a GPU draws, and so its clock.
std::string not_comparable(const SavedRun& saved, const Json& environment);

// What may make them so: another driver, another CUDA version.
std::string other_software(const SavedRun& saved, const Json& environment);

// Puts into the row how many times as long a call takes as in the saved run, if that found the same plugin ok on the
// same device at the same shape and timed it, with an interval of 95 %. A regression is what is more than
// `max_slowdown` (a part of 1) by the interval's lower end; where both were raced against the same baseline, the
// two ratios must say so too, by the interval or, with too few blocks for one, by themselves, since a GPU that runs at
// a lower clock slows both down.
void compare_with(const SavedRun& saved, double max_slowdown, Row& row);

// How many of the rows that were timed compare_with() found nothing for, in one line; empty if none.
std::string not_compared(const SavedRun& saved, const std::vector<Row>& rows);

}  // namespace judge
