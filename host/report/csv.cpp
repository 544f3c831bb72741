#include "report/csv.h"

#include "base/whole_file.h"
#include "report/columns.h"
#include "values/record_fields.h"

namespace judge {

namespace {

std::string cell(const Json& value) {
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
    std::string text;
    const auto add_line = [&](const Row& row, auto cell_of) {
        const char* separator = "";
        visit_fields(row, [&](const char* key, const auto& value, Presence = Presence::always) {
            if constexpr (is_one_value<std::decay_t<decltype(value)>>) {
                text += separator + cell_of(key, value);
                separator = ",";
            }
        });
        const KernelLaunch* const kernel = main_kernel(row);
        text += "," + cell_of("runs", uint64_t{row.time_ms.size()});
        text += "," + cell_of("grid", kernel ? sizes_of(kernel->grid) : "");
        text += "," + cell_of("block", kernel ? sizes_of(kernel->block) : "");
        text += "," + cell_of("registers", kernel ? kernel->registers : std::nullopt);
        text += "\r\n";
    };
    add_line({}, [](const char* key, const auto&) { return std::string(key); });
    for (const Row& row : rows) add_line(row, [](const char*, const auto& value) { return cell(json_of(value)); });
    return text;
}

void write_csv(const std::filesystem::path& file, const std::vector<Row>& rows) {
    replace_file(file, format_csv(rows), "--csv");
}

}  // namespace judge
