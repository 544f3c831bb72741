// The results as Markdown, to paste into an issue or a README.
#pragma once

#include <string>
#include <vector>

#include "report/columns.h"
#include "values/record.h"

namespace judge {

// One table, a line a plugin and a column a shape: TFLOP/s and the ratio, or the status where it was not timed. Below
// it the device and the conditions, and a line for each row that has a message or is slower than it was. Where columns
// are chosen: a table a shape with these.
std::string format_markdown(const Json& environment, const std::vector<Row>& rows, const ColumnChoice& choice = {});

}  // namespace judge
