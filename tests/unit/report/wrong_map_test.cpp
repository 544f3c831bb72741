#include "host/report/wrong_map.h"

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

Row wrong_row(const std::string& plugin) {
    Row row;
    row.plugin = plugin;
    row.shape = "20x5x64";
    row.status = Status::wrong;
    row.wrong_places = WrongPlaces{20, 64, {"....####", "....####"}, "the last 32 columns, from 32 on", "the edge"};
    return row;
}

}  // namespace

TEST_CASE("wrong elements are drawn in a frame, with the size of C and of a character") {
    CHECK(draw_wrong_places({wrong_row("a")}) ==
          "\nC of a at 20x5x64 is 20x64, a character here 2x2: the last 32 columns, from 32 on\n"
          "    |....####|\n"
          "    |....####|\n"
          ". right, 1 to 9 so many tenths wrong, # all wrong, blank not looked at\n\n");
    Row none = wrong_row("b");
    none.wrong_places->where.clear();
    CHECK(contains(draw_wrong_places({none}), "2x2: no pattern\n"));
}

TEST_CASE("nothing is drawn of a C that is right, or wrong everywhere") {
    Row everywhere = wrong_row("a"), right = wrong_row("b");
    everywhere.wrong_places->where = kEverywhere;
    right.wrong_places.reset();
    CHECK(draw_wrong_places({everywhere, right}).empty());
    CHECK(draw_wrong_places({}).empty());
}

TEST_CASE("each plugin is drawn once, and no more than four are") {
    std::vector<Row> rows;
    for (const char* plugin : {"a", "a", "b", "c", "d", "e"}) rows.push_back(wrong_row(plugin));
    const std::string text = draw_wrong_places(rows);
    CHECK(contains(text, "C of d at"));
    CHECK(!contains(text, "C of e at"));
    CHECK(text.find("C of a at") == text.rfind("C of a at"));
    CHECK(contains(text, "; 2 more in the file of --json\n"));
}
