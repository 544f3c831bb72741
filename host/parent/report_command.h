// The command line of `compare report`: a page of runs that were saved.
#pragma once

#include <filesystem>
#include <optional>
#include <variant>
#include <vector>

#include "values/saved_run.h"

namespace judge {

struct ReportCommand {
    SavedRun run;                     // whose rows have their `slowdown` against `earlier`
    std::optional<SavedRun> earlier;  // the first file, where two are given
    std::filesystem::path html;
};

// Parses what follows `compare`, that is "report A.json [B.json] --html FILE", and reads the files. An int is the exit
// code to leave with, as that of parse_options(). Throws UsageError if a file is no run.
std::variant<ReportCommand, int> parse_report_command(int argc, char** argv);

}  // namespace judge
