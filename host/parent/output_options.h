// The part of the command line that says what comes out of a run, and where to.
#pragma once

#include <filesystem>

namespace CLI {
class App;
}

namespace judge {

struct OutputOptions {
    bool markdown = false;       // the table, or the list, as Markdown
    std::filesystem::path json;  // empty means none
    std::filesystem::path csv;   // empty means none
};

// Adds them to the program's options, as a group of their own in --help; `options` must outlive the parsing.
void add_output_options(CLI::App& app, OutputOptions& options);

}  // namespace judge
