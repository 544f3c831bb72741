// The results as one JSON document: {"environment": {...}, "rows": [...]}.
#pragma once

#include <filesystem>
#include <vector>

#include "values/record.h"

namespace judge {

// Throws std::system_error, naming the file. The file is whole at any time.
void write_json(const std::filesystem::path& file, const Json& environment, const std::vector<Row>& rows);

}  // namespace judge
