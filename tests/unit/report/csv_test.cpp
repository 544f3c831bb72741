#include "host/report/csv.h"

#include <map>
#include <memory>
#include <stdexcept>

#include "host/values/json.h"
#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

// As RFC 4180 has it: fields between commas, lines ended by CR LF, a quoted field may hold all of these.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
    std::vector<std::vector<std::string>> lines;
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
            fields.back() += text[++i];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else if (c == '\r' && !quoted) {
            REQUIRE(text.at(++i) == '\n');
            lines.push_back(fields);
            fields.assign(1, "");
        } else {
            fields.back() += c;
        }
    }
    CHECK(!quoted);
    CHECK(fields == std::vector<std::string>{""});  // the last line is ended too
    return lines;
}

// Column to field, of the only row.
std::map<std::string, std::string> fields_of(const Row& row) {
    const auto lines = parse_csv(format_csv({row}));
    REQUIRE(lines.size() == 2);
    REQUIRE(lines[0].size() == lines[1].size());
    std::map<std::string, std::string> fields;
    for (size_t i = 0; i < lines[0].size(); ++i) fields[lines[0][i]] = lines[1][i];
    return fields;
}

Row row_of_all_fields() {
    Row row;
    row.plugin = "40_tile128";
    row.shape = "64x64x64";
    row.status = Status::ok;
    row.time_ms = {1, 2};
    row.median_ms = 0.1;
    row.ratio = 1.0 / 3;
    row.ratio_interval = Interval{0.3, 0.4};
    row.slowed_by = {"power limit"};
    row.evidence = std::make_shared<const Json>(Json::object({{"r", 1.0}, {"reason", "r = 1"}}));
    KernelLaunch kernel;
    kernel.grid = {4, 2, 1};
    kernel.block = {256, 1, 1};
    kernel.registers = 96;
    row.kernels = {kernel};
    row.loops = 7;
    row.waits = true;
    return row;
}

}  // namespace

TEST_CASE("a row is a line, below the names of its columns") {
    const auto fields = fields_of(row_of_all_fields());
    CHECK(fields.at("plugin") == "40_tile128");
    CHECK(fields.at("shape") == "64x64x64");
    CHECK(fields.at("status") == "ok");
    CHECK(fields.at("loops") == "7");
    CHECK(fields.at("waits") == "true");
    CHECK(std::stod(fields.at("median_ms")) == 0.1);
    CHECK(std::stod(fields.at("ratio")) == 1.0 / 3);
    CHECK(fields.at("tflops") == "");  // absent
    CHECK(fields.at("runs") == "2");
    CHECK(fields.at("grid") == "4x2");
    CHECK(fields.at("block") == "256");
    CHECK(fields.at("registers") == "96");
}

TEST_CASE("the columns are the same whatever a row has, the keys of JSON that hold one value, in their order") {
    Row blank;
    const auto lines = parse_csv(format_csv({row_of_all_fields(), blank}));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == parse_csv(format_csv({})).at(0));
    std::vector<std::string> wanted;
    const Json json = row_of_all_fields();
    for (const auto& [key, value] : json.items()) {
        if (key != "slowdown" && key != "wrong_places" && !value.is_structured()) wanted.push_back(key);
    }
    for (const char* key : {"runs", "grid", "block", "registers"}) wanted.emplace_back(key);
    CHECK(lines[0] == wanted);
    for (const auto& line : lines) CHECK(line.size() == wanted.size());
}

TEST_CASE("a message may hold what separates fields and lines") {
    Row row = row_of_all_fields();
    row.message = "a \"quoted\", broken\r\nmessage";
    row.plugin = "a,b";
    row.regression = "\"";
    const auto fields = fields_of(row);
    CHECK(fields.at("message") == row.message);
    CHECK(fields.at("plugin") == "a,b");
    CHECK(fields.at("regression") == "\"");
}

TEST_CASE("the file holds the lines, and one that cannot be written is named") {
    const TemporaryDirectory directory;
    write_csv(directory / "x.csv", {row_of_all_fields()});
    CHECK(read_file(directory / "x.csv") == format_csv({row_of_all_fields()}));
    const fs::path nowhere = directory / "missing" / "x.csv";
    CHECK(
        contains(message_thrown_by<std::runtime_error>([&] { write_csv(nowhere, {}); }), "--csv " + nowhere.string()));
}
