// The results as text for people.
#pragma once

#include <string>
#include <vector>

#include "report/columns.h"
#include "report/row_order.h"
#include "values/record.h"

namespace judge {

struct TableStyle {
    bool colour = false;  // ANSI colours, which say nothing that the text does not
    size_t width = 0;     // of a line, in characters; 0: as long as it takes
    Sort sort = Sort::none;
    ColumnChoice columns = {};
};

// One block a shape, one line a plugin, the classes of precision one after the other unless it is sorted; then a line
// for each row that is not ok saying why, for each status what to do about it, and for each column what it means.
// Columns that there is no room for are left out, and said to be.
std::string format_table(const Json& environment, const std::vector<Row>& rows, const TableStyle& style = {});

// The blocks alone, a blank line before each.
std::string format_blocks(const std::vector<Row>& rows, const TableStyle& style = {});

// What stands before a row: ✓ ok, ! limited, - unsupported, ✗ anything else.
std::string mark_of(const Row& row);

}  // namespace judge
