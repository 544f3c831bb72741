// The results as text for people.
#pragma once

#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// One block a shape, one line a plugin, the classes of precision one after the other; then a line for each row that is
// not ok saying why, and for each status what to do about it. `colour` adds ANSI colours.
std::string format_table(const Json& environment, const std::vector<Row>& rows, bool colour);

}  // namespace judge
