// Where a plugin is wrong: in the table, in the message, in the file.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/process.h"

namespace {

using test::contains;

}  // namespace

TEST_CASE("a wrong C is drawn below the table, and its pattern named where there is one") {
    const test::TemporaryDirectory directory;
    const std::string json = (directory / "rows.json").string(), bad = test::kBuild + "/bad_plugins/";
    const auto result =
        test::run(test::kCompare + " " + bad + "skips_last_row.so " + bad + "drops_last_term.so " + bad +
                  "control_wrong.so " + bad + "control_correct.so --check-only --shape 40x50x64 --json " + json);
    INFO(result.out);
    CHECK(result.exit_code == 2);
    const auto rows = nlohmann::json::parse(test::read_file(json)).at("rows");
    REQUIRE(rows.size() == 4);
    for (const auto& row : rows) {
        const std::string plugin = row.at("plugin"), message = row.at("message");
        INFO(plugin << ": " << message);
        if (plugin == "control_correct") {
            CHECK(row.at("wrong_places").is_null());
            continue;
        }
        const auto& places = row.at("wrong_places");
        CHECK(places.at("rows") == 40);
        CHECK(places.at("columns") == 64);
        REQUIRE(places.at("map").size() == 14);  // of three rows each
        const std::string first = places.at("map").at(0), last = places.at("map").at(13);
        CHECK(first.size() == 32);
        if (plugin == "skips_last_row") {
            CHECK(places.at("where") == "the last row");
            CHECK(contains(message, "; pattern: the last row: "));
            CHECK(first == std::string(32, '.'));
            CHECK(last == std::string(32, '#'));  // the last line stands for one row
        } else if (plugin == "drops_last_term") {
            CHECK(contains(message, "the last of the 50 terms is missing"));
            CHECK(places.at("where") == "every element");
        } else {
            CHECK(places.at("where") == "");
            CHECK(!contains(message, "pattern"));
        }
    }
    CHECK(contains(result.out,
                   "\nC of skips_last_row at 40x50x64 is 40x64, a character here 3x2: the last row\n    |...."));
    CHECK(contains(result.out, "C of control_wrong at 40x50x64 is 40x64, a character here 3x2: no pattern\n"));
    CHECK(!contains(result.out, "C of drops_last_term"));  // all of it is wrong
}
