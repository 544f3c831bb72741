#include "report/annotations.h"

#include <fmt/format.h>

#include <filesystem>

#include "library/source_of.h"
#include "values/json.h"

namespace judge {

namespace {

// As the runner reads it back. In a property a colon and a comma would end it, too.
std::string encoded(const std::string& text, bool property) {
    std::string result;
    for (const char c : text) {
        const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        result += special ? fmt::format("%{:02X}", c) : std::string(1, c);
    }
    return result;
}

std::string file_of(const Row& row, const std::filesystem::path& root) {
    std::filesystem::path file = source_of(row.path);
    if (file.empty()) file = row.path;
    const std::filesystem::path relative = file.lexically_relative(root);
    return relative.empty() || *relative.begin() == ".." ? file.string() : relative.string();
}

}  // namespace

std::string format_annotations(const std::vector<Row>& rows, bool allow_limited, const std::string& root) {
    std::string text;
    for (const Row& row : rows) {
        if (row.status == Status::unsupported || (row.status == Status::ok && row.regression.empty())) continue;
        const bool mild = row.status == Status::limited && allow_limited && row.regression.empty();
        const std::string what = is_right(row.status) && !row.regression.empty() ? "slower" : to_string(row.status);
        const std::string title = fmt::format("{} ({}){}: {}", row.plugin, to_string(row.device),
                                              row.shape.empty() ? "" : " at " + row.shape, what);
        text +=
            fmt::format("::{} file={},title={}::{}\n", mild ? "warning" : "error", encoded(file_of(row, root), true),
                        encoded(title, true), encoded(row.regression.empty() ? row.message : row.regression, false));
    }
    return text;
}

}  // namespace judge
