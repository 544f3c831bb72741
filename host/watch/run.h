// One run of compare in a process of its own, which can be ended at any time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

struct Run {
    Json environment;
    std::vector<Row> rows;
};

// What `compare ARGUMENTS` finds. Throws std::runtime_error with what it said if it finds nothing. Nothing is returned
// where `cancelled`, which is asked some hundred times a second, has said yes: then the run and its workers have ended.
// It writes to `folder`.
std::optional<Run> run_compare(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                               const std::function<bool()>& cancelled);

}  // namespace judge
