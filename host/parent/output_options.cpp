#include "parent/output_options.h"

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <utility>
#include <vector>

#include "parent/completion.h"
#include "parent/man_page.h"
#include "parent/option_table.h"

namespace judge {

namespace {

std::vector<std::pair<std::string, Sort>> sorts() {
    return {{"speed", Sort::speed}, {"name", Sort::name}, {"error", Sort::error}};
}

std::vector<std::pair<std::string, ProgressKind>> progress_kinds() {
    return {{"live", ProgressKind::live}, {"lines", ProgressKind::lines}, {"none", ProgressKind::none}};
}

std::string check_columns(const std::string& list) {
    if (list == "help") return {};
    try {
        parse_columns(list);
        return {};
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

}  // namespace

std::optional<std::string> text_asked_for(const CLI::App& app, const OutputOptions& options) {
    if (options.describe_columns) return describe_columns();
    if (options.man) return man_page(app.get_description(), option_table(app), app.get_footer());
    if (!options.completion.empty()) return completion_script(option_table(app), options.completion);
    return std::nullopt;
}

void add_output_options(CLI::App& app, OutputOptions& options) {
    const auto in_group = [](CLI::Option* option) { return option->group("Output"); };
    in_group(app.add_option("--json,--save", options.json, "write the results here as JSON, after every row"))
        ->type_name("FILE");
    in_group(app.add_option("--csv", options.csv, "write the results here, one line a row, after every row"))
        ->type_name("FILE");
    in_group(app.add_option("--html", options.html, "write the results here as a page with pictures, after every row"))
        ->type_name("FILE");
    in_group(app.add_option("--junit", options.junit, "write the rows here as tests of JUnit's XML, after every row"))
        ->type_name("FILE");
    in_group(app.add_option("--bencher", options.bencher,
                            "write latency, throughput and ratio here as bencher.dev reads them, after every row"))
        ->type_name("FILE");
    in_group(app.add_flag("--annotate", options.annotate,
                          "on stderr, for each row that fails, the ::error line by which a GitHub workflow marks the "
                          "plugin's source; in a workflow the table is added to its summary without that"));
    in_group(app.add_option("--sort", options.sort,
                            "the rows of each shape, in all that is written: the fastest first within each class, by "
                            "name, or the smallest error first"))
        ->transform(CLI::CheckedTransformer(sorts()).description(""))
        ->transform(CLI::IsMember({"speed", "name", "error"}))
        ->type_name("TEXT");
    const auto take_columns = [&options](const std::string& list) {
        options.describe_columns = list == "help";
        if (!options.describe_columns) options.columns = parse_columns(list);
    };
    in_group(app.add_option_function<std::string>(
                 "--columns", take_columns,
                 "the columns of the table: hot,tflops for these alone, +grid,+registers for these too; all; help "
                 "lists them"))
        ->type_name("LIST")
        ->check(CLI::Validator(check_columns, ""));
    in_group(app.add_option("--progress", options.progress,
                            "on stderr while it runs: live, a table that fills, which only a terminal can show, or a "
                            "line a row, or nothing (default: live on a terminal, else lines)"))
        ->transform(CLI::CheckedTransformer(progress_kinds()).description(""))
        ->transform(CLI::IsMember({"live", "lines", "none"}))
        ->type_name("TEXT");
    in_group(app.add_flag("--markdown", options.markdown, "print the table, or the list, as Markdown"));
    app.add_option("--completion", options.completion, "print the script by which this shell completes the options")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->group("Help");
    app.add_flag("--man", options.man, "print this as a manual page: build/compare --man | man -l -")->group("Help");
}

}  // namespace judge
