// Rows that are not right, as the commands by which a GitHub workflow marks a file.
#pragma once

#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// "::error file=plugins/cuda/x.cu,title=x at 8x8x8: wrong::message", a line a row, for what makes the exit status one
// of a failure; a warning for what is allowed to be limited. The file is the plugin's source where that is known, else
// the library. Paths below `root` are written relative to it.
std::string format_annotations(const std::vector<Row>& rows, bool allow_limited, const std::string& root);

}  // namespace judge
