#include "parent/report_command.h"

#include <CLI/CLI.hpp>

#include "base/output.h"
#include "parent/exit_code.h"
#include "parent/help_format.h"
#include "parent/options.h"
#include "parent/regression.h"

namespace judge {

std::variant<ReportCommand, int> parse_report_command(int argc, char** argv) {
    std::vector<std::filesystem::path> files;
    ReportCommand command;
    CLI::App app{"Makes a page of one saved run, or of two: what became faster or slower from the first to the second.",
                 "compare report"};
    app.add_option("FILE.json", files, "what --save wrote; of two, the earlier one first")
        ->required()
        ->expected(1, 2)
        ->check(CLI::ExistingFile.description(""))
        ->type_name("");
    app.add_option("--html", command.html, "write the page here")->required()->type_name("FILE");
    app.formatter(help_format("Usage: compare report A.json [B.json] --html FILE"));
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        const std::string why = print(app.help());
        if (!why.empty()) complain("stdout: cannot be written: " + why);
        return why.empty() ? kAllOk : kUsageError;
    } catch (const CLI::ParseError& error) {
        return usage_error(std::string("report: ") + error.what(), "compare report");
    }
    command.run = load_run(files.back(), "report");
    for (Row& row : command.run.rows) {
        row.slowdown.reset();  // against whatever the run itself was given
        row.regression.clear();
    }
    if (files.size() == 2) {
        command.earlier = load_run(files.front(), "report");
        for (Row& row : command.run.rows) compare_with(*command.earlier, Options().max_slowdown, row);
    }
    return command;
}

}  // namespace judge
