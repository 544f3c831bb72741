// A run that was saved: what --json wrote.
#pragma once

#include <filesystem>
#include <vector>

#include "values/json.h"
#include "values/record.h"

namespace judge {

struct SavedRun {
    std::filesystem::path file;
    Json environment;
    std::vector<Row> rows;
};

}  // namespace judge
