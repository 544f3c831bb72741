// The columns that a table of rows can have.
#pragma once

#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

struct Column {
    const char* name;  // for --columns
    const char* heading;
    bool to_the_right;
    std::string (*cell)(const Row&);  // empty for none
    const char* legend;               // what it means, below the table
    // Which goes first where a terminal has no room for all; kStays: none of those.
    int room;
    bool (*usual)(const std::vector<Row>&);  // whether it is shown where nobody says which
    size_t gap = 2;                          // spaces before it
};

constexpr int kStays = 100;

// Which are to be shown: those and no others, in their order, or the usual ones and these.
struct ColumnChoice {
    std::vector<std::string> names;
    bool added = false;

    bool operator==(const ColumnChoice&) const = default;
    bool usual() const { return names.empty(); }
};

// Reads "hot,tflops" or "+grid,+registers" or "all". Throws std::invalid_argument, with what may be asked for.
ColumnChoice parse_columns(const std::string& list);

// The names and what they mean, a line each.
std::string describe_columns();

std::vector<Column> columns_for(const std::vector<Row>& rows, const ColumnChoice& choice);

// Of the column over these rows.
std::string heading_of(const Column& column, const std::vector<Row>& rows);

// The kernel that has the most threads of those that the call launched; null where none is known.
const KernelLaunch* main_kernel(const Row& row);

// "16x16": the three sizes without the ones at the end.
std::string sizes_of(const std::array<unsigned, 3>& sizes);

// The interval does not tell faster from slower.
bool is_about_equal(const Row& row);

// In the unit that keeps it readable: "2.79 ms".
std::string duration(double ms);

}  // namespace judge
