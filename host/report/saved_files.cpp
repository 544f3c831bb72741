#include "report/saved_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/output.h"
#include "base/usage_error.h"
#include "report/csv.h"
#include "report/json.h"

namespace judge {

namespace {

bool is_of_the_disk(const std::error_code& error) {
    return error == std::errc::no_space_on_device || error == std::error_code(EDQUOT, std::generic_category()) ||
           error == std::errc::io_error;
}

}  // namespace

SavedFiles::SavedFiles(const std::filesystem::path& json, const std::filesystem::path& csv, const Json& environment) {
    if (!json.empty())
        files_.push_back({[=](const std::vector<Row>& rows) { write_json(json, environment, rows); }, {}});
    if (!csv.empty()) files_.push_back({[=](const std::vector<Row>& rows) { write_csv(csv, rows); }, {}});
    for (const File& file : files_) {
        try {
            file.write({});
        } catch (const std::system_error& error) {
            if (!is_of_the_disk(error.code())) throw UsageError(error.what());
        }
    }
}

void SavedFiles::write(const std::vector<Row>& rows) {
    for (File& file : files_) {
        const bool said = !file.problem.empty();
        file.problem.clear();
        try {
            file.write(rows);
        } catch (const std::system_error& error) {
            file.problem = error.what();
            if (!said) complain(fmt::format("{}; the run goes on, and its rows are printed at the end", error.what()));
        }
    }
}

bool SavedFiles::complete() const {
    return std::all_of(files_.begin(), files_.end(), [](const File& file) { return file.problem.empty(); });
}

}  // namespace judge
