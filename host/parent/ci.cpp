#include "parent/ci.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/output.h"
#include "report/annotations.h"
#include "report/bencher.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "values/json.h"

namespace judge {

void add_files_for_ci(const Options& options, const Json& environment, SavedFiles& files) {
    if (!options.junit.empty()) {
        files.add([file = options.junit, environment, allowed = options.allow_limited](const std::vector<Row>& rows) {
            write_junit(file, environment, rows, allowed);
        });
    }
    if (!options.bencher.empty()) {
        files.add([file = options.bencher](const std::vector<Row>& rows) { write_bencher(file, rows); });
    }
}

bool tell_github(const Options& options, const Json& environment, const std::vector<Row>& rows) {
    if (options.annotate) {
        // The runner reads stderr as it does stdout, which has the table.
        std::error_code none;
        const std::string text =
            format_annotations(rows, options.allow_limited, std::filesystem::current_path(none).string());
        std::fwrite(text.data(), 1, text.size(), stderr);
    }
    const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
    if (summary == nullptr || *summary == '\0') return true;
    std::ofstream file(summary, std::ios::app);
    file << format_markdown(environment, sorted(rows, options.sort), options.columns) << "\n";
    if (file.flush()) return true;
    complain(fmt::format("$GITHUB_STEP_SUMMARY: {}: cannot be written: {}", summary, std::strerror(errno)));
    return false;
}

}  // namespace judge
