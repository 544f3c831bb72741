#include "host/report_json.h"

#include <stdexcept>

#include "tests/catch.h"
#include "tests/unit/files.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

const Json kEnvironment = {{"device", nullptr}, {"seed", 7}};

std::vector<Row> rows_of(const std::vector<std::string>& plugins) {
    std::vector<Row> rows(plugins.size());
    for (size_t i = 0; i < rows.size(); ++i) rows[i].plugin = plugins[i];
    return rows;
}

std::vector<std::string> files_in(const fs::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
    return names;
}

std::string refusal(const fs::path& file) {
    return message_thrown_by<std::runtime_error>([&] { write_json(file, kEnvironment, {}); });
}

}  // namespace

TEST_CASE("the document holds the environment and the rows in their order") {
    const TemporaryDirectory directory;
    write_json(directory / "x.json", kEnvironment, rows_of({"b", "a"}));
    const Json document = Json::parse(read_file(directory / "x.json"));
    CHECK(document.size() == 2);
    CHECK(document.at("environment") == kEnvironment);
    REQUIRE(document.at("rows").size() == 2);
    CHECK(document.at("rows").at(0).get<Row>().plugin == "b");
    CHECK(document.at("rows").at(1).get<Row>().plugin == "a");
}

TEST_CASE("a document of no rows, or of one, has an array of rows all the same") {
    const TemporaryDirectory directory;
    write_json(directory / "x.json", kEnvironment, {});
    CHECK(Json::parse(read_file(directory / "x.json")).at("rows") == Json::array());
    write_json(directory / "x.json", kEnvironment, rows_of({"a"}));
    const Json rows = Json::parse(read_file(directory / "x.json")).at("rows");
    CHECK(rows.is_array());
    CHECK(rows.size() == 1);
}

TEST_CASE("nothing is left beside the document, and an older one is replaced") {
    const TemporaryDirectory directory;
    write_file(directory / "x.json", "an older and much longer document than the one that comes, or so it seems");
    write_json(directory / "x.json", kEnvironment, {});
    CHECK_NOTHROW(Json::parse(read_file(directory / "x.json")));
    CHECK(files_in(directory.path()) == std::vector<std::string>{"x.json"});
}

TEST_CASE("whoever has the older document open goes on reading the whole of it") {
    const TemporaryDirectory directory;
    write_json(directory / "x.json", kEnvironment, rows_of({"older"}));
    std::ifstream reader(directory / "x.json");
    write_json(directory / "x.json", kEnvironment, rows_of({"newer"}));
    const Json seen = Json::parse(reader);
    CHECK(seen.at("rows").at(0).at("plugin") == "older");
}

TEST_CASE("text that is not UTF-8 does not keep the document from being written") {
    const TemporaryDirectory directory;
    write_json(directory / "x.json", kEnvironment, rows_of({"caf\xe9"}));
    const std::string plugin = Json::parse(read_file(directory / "x.json")).at("rows").at(0).at("plugin");
    CHECK(plugin == "caf\xef\xbf\xbd");
}

TEST_CASE("a path that cannot be written throws, names the file, and leaves nothing behind") {
    const TemporaryDirectory directory;
    const fs::path in_no_directory = directory / "missing" / "x.json";
    CHECK(contains(refusal(in_no_directory), in_no_directory.string()));

    fs::create_directory(directory / "taken");
    const std::string message = refusal(directory / "taken");
    CAPTURE(message);
    CHECK(contains(message, (directory / "taken").string()));
    CHECK(contains(message, "--json"));
    CHECK(files_in(directory.path()) == std::vector<std::string>{"taken"});
}
