#include "report/csv.h"

#include "base/whole_file.h"

namespace judge {

namespace {

std::string field(const Json& value) {
    if (value.is_null()) return "";
    if (!value.is_string()) return value.dump();
    const std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::string format_csv(const std::vector<Row>& rows) {
    // A row without figures has every key; what is an array or an object there is one everywhere.
    std::vector<std::string> columns;
    std::string text;
    Row blank;
    blank.ratio_interval = blank.slowdown = Interval{};
    blank.evidence = Json::object();
    blank.kernels.emplace();
    const Json keys = blank;
    for (const auto& [key, value] : keys.items()) {
        if (value.is_structured()) continue;
        text += (columns.empty() ? "" : ",") + key;
        columns.push_back(key);
    }
    text += "\r\n";
    for (const Row& row : rows) {
        const Json json = row;
        for (size_t i = 0; i < columns.size(); ++i) text += (i ? "," : "") + field(json.at(columns[i]));
        text += "\r\n";
    }
    return text;
}

void write_csv(const std::filesystem::path& file, const std::vector<Row>& rows) {
    replace_file(file, format_csv(rows), "--csv");
}

}  // namespace judge
