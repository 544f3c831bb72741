// What a CI system is told of a run.
#pragma once

#include <vector>

#include "parent/options.h"
#include "report/saved_files.h"
#include "values/record.h"

namespace judge {

// The files of --junit and --bencher.
void add_files_for_ci(const Options& options, const Json& environment, SavedFiles& files);

// At the end: the rows as Markdown to the file that $GITHUB_STEP_SUMMARY names, if it is set, and with --annotate a
// line on stderr for each row that fails. False, with a complaint, where the file cannot be written.
bool tell_github(const Options& options, const Json& environment, const std::vector<Row>& rows);

}  // namespace judge
