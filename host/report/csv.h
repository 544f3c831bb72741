// The results for a spreadsheet: a line a row, the samples left out.
#pragma once

#include <filesystem>
#include <vector>

#include "values/record.h"

namespace judge {

// The columns are the JSON keys of a row that hold one value, and then the number of batches (runs) and, of the kernel
// with the most threads, grid, block and registers; an absent one is empty. As RFC 4180 has it.
std::string format_csv(const std::vector<Row>& rows);

// Throws std::system_error, naming the file. The file is whole at any time.
void write_csv(const std::filesystem::path& file, const std::vector<Row>& rows);

}  // namespace judge
