// The step of the ladder that an exercise is about, and how much of it has been won.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// Two rungs, as a line among the first of a file names them: `// step: from 30_reindexed to 34_register_4x4`.
struct Step {
    std::string from, to;
};

// Nothing where no such line stands before the first line of code, or the file cannot be read.
std::optional<Step> step_of(const std::filesystem::path& source);

// A sentence. `rows` are those of a run with the rung that the step starts from as the baseline; `mine` is the name of
// the file's own library in it.
std::string progress_on(const Step& step, const std::vector<Row>& rows, const std::string& mine);

// What there is to say where the times are emulated.
std::string not_told_by_emulator(const Step& step);

}  // namespace judge
