// The whole page.
#pragma once

#include <string>
#include <vector>

#include "report/html/source_file.h"
#include "values/saved_run.h"

namespace judge::html {

// `earlier` may be null; else the rows' `slowdown` is against it.
std::string page(const Json& environment, const std::vector<Row>& rows, const SavedRun* earlier, SourceFiles& sources);

}  // namespace judge::html
