// Is anything slower than it was? Against the file of an earlier run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record.h"

namespace judge {

struct SavedRun {
    std::filesystem::path file;
    Json environment;
    std::vector<Row> rows;
};

// Throws std::runtime_error, naming the file and what is wrong with it.
SavedRun load_run(const std::filesystem::path& file);

// What makes times of the two not comparable, empty if nothing does: another GPU or processor. And what may make them
// so: another driver, another CUDA version.
std::string other_device(const SavedRun& saved, const Json& environment);
std::string other_software(const SavedRun& saved, const Json& environment);

// Puts into the row how many times as long a call takes as in the saved run, if that timed the same plugin on the same
// device at the same shape, with an interval of 95 %. A regression is what is more than `max_slowdown` (a part of 1) by
// the interval's lower end; where both were raced against the same baseline, the interval by the two ratios must say so
// too, since a GPU that runs at a lower clock slows both down.
void compare_with(const SavedRun& saved, double max_slowdown, Row& row);

}  // namespace judge
