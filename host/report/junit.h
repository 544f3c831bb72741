// The results as JUnit's XML, which CI systems show as tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "values/record.h"

namespace judge {

// A test case a row: a failure where the exit status would say so, an error where the plugin or the judge did not get
// so far, skipped where it cannot run here. `allow_limited`: limited is no failure.
std::string format_junit(const Json& environment, const std::vector<Row>& rows, bool allow_limited);

// Throws std::system_error, naming the file. The file is whole at any time.
void write_junit(const std::filesystem::path& file, const Json& environment, const std::vector<Row>& rows,
                 bool allow_limited);

}  // namespace judge
