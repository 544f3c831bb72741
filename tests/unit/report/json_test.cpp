#include "host/report/json.h"

#include <stdexcept>

#include "host/values/json.h"
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

TEST_CASE("text that is not UTF-8 does not keep the document from being written") {
    const TemporaryDirectory directory;
    write_json(directory / "x.json", kEnvironment, rows_of({"caf\xe9"}));
    const std::string plugin = Json::parse(read_file(directory / "x.json")).at("rows").at(0).at("plugin");
    CHECK(plugin == "caf\xef\xbf\xbd");
}

TEST_CASE("a path that cannot be written throws, and names the option and the file") {
    const TemporaryDirectory directory;
    const fs::path file = directory / "missing" / "x.json";
    const std::string message = message_thrown_by<std::runtime_error>([&] { write_json(file, kEnvironment, {}); });
    CHECK(contains(message, "--json " + file.string()));
}
