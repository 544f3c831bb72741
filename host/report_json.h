// The results as one JSON document: {"environment": {...}, "rows": [...]}.
#pragma once

#include <filesystem>
#include <vector>

#include "record.h"

namespace judge {

// Writes the document beside `file` and renames it into place, so that whoever reads it finds a whole one at any time.
// Throws std::runtime_error, naming the file.
void write_json(const std::filesystem::path& file, const Json& environment, const std::vector<Row>& rows);

}  // namespace judge
