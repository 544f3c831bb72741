#include "report/saved_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/output.h"
#include "base/usage_error.h"
#include "report/csv.h"
#include "report/json.h"
#include "values/json.h"

namespace judge {

namespace {

bool is_of_the_disk(const std::error_code& error) {
    return error == std::errc::no_space_on_device || error == std::error_code(EDQUOT, std::generic_category()) ||
           error == std::errc::io_error;
}

}  // namespace

SavedFiles::SavedFiles(const std::filesystem::path& json, const std::filesystem::path& csv, const Json& environment) {
    if (!json.empty()) add([=](const std::vector<Row>& rows) { write_json(json, environment, rows); });
    if (!csv.empty()) add([=](const std::vector<Row>& rows) { write_csv(csv, rows); });
}

void SavedFiles::add(Write write) {
    try {
        write({});
    } catch (const std::system_error& error) {
        if (!is_of_the_disk(error.code())) throw UsageError(error.what());
    }
    files_.push_back({std::move(write), {}});
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
