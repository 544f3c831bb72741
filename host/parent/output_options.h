// The part of the command line that says what comes out of a run, and where to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "parent/run_progress.h"
#include "report/columns.h"
#include "report/row_order.h"

namespace CLI {
class App;
}

namespace judge {

struct OutputOptions {
    bool markdown = false;          // the table, or the list, as Markdown
    std::filesystem::path json;     // empty means none
    std::filesystem::path csv;      // empty means none
    std::filesystem::path html;     // empty means none
    std::filesystem::path junit;    // empty means none
    std::filesystem::path bencher;  // empty means none
    bool annotate = false;          // rows that fail, as commands of a GitHub workflow
    ProgressKind progress = ProgressKind::automatic;
    Sort sort = Sort::none;
    ColumnChoice columns;
    // In place of a run:
    bool describe_columns = false;
    bool man = false;
    std::string completion;  // a shell's name; empty means none
};

// Adds them to the program's options, as a group of their own in --help; `options` must outlive the parsing.
void add_output_options(CLI::App& app, OutputOptions& options);

// What is to be printed in place of a run; nothing where a run is asked for.
std::optional<std::string> text_asked_for(const CLI::App& app, const OutputOptions& options);

}  // namespace judge
