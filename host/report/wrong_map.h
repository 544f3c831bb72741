// Where in C the wrong elements lie, drawn with characters.
#pragma once

#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// Of the first row of each plugin that has such places, and of at most four plugins: what pictures are enough to see.
// Nothing is drawn of a C that is wrong everywhere.
std::string draw_wrong_places(const std::vector<Row>& rows);

}  // namespace judge
