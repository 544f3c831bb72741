#include "parent/output_options.h"

#include <CLI/CLI.hpp>

namespace judge {

void add_output_options(CLI::App& app, OutputOptions& options) {
    const auto in_group = [](CLI::Option* option) { return option->group("Output"); };
    in_group(app.add_option("--json,--save", options.json, "write the results here as JSON, after every row"))
        ->type_name("FILE");
    in_group(app.add_option("--csv", options.csv, "write the results here, one line a row, after every row"))
        ->type_name("FILE");
    in_group(app.add_flag("--markdown", options.markdown, "print the table, or the list, as Markdown"));
}

}  // namespace judge
