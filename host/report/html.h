// The results as one page that needs nothing else: pictures, tables, sources.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "values/saved_run.h"

namespace judge {

// `earlier`, where there is one, is what the rows' `slowdown` is against.
std::string format_html(const Json& environment, const std::vector<Row>& rows,
                        const std::optional<SavedRun>& earlier = std::nullopt);

// Writes the page, as often as it is called. Throws std::system_error, naming the file. The file is whole at any time.
std::function<void(const std::vector<Row>&)> html_writer(const std::filesystem::path& file, const Json& environment,
                                                         const std::optional<SavedRun>& earlier);

}  // namespace judge
