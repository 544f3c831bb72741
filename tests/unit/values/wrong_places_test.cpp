#include "host/values/wrong_places.h"

#include "host/values/json.h"
#include "tests/catch.h"

using namespace judge;

TEST_CASE("the picture of wrong places goes through JSON as it is") {
    const WrongPlaces places{20, 64, {"..##", "1 9."}, "the last row", "the edge"};
    CHECK(Json(places).get<WrongPlaces>() == places);
    CHECK(Json(places).dump() ==
          R"({"rows":20,"columns":64,"map":["..##","1 9."],"where":"the last row","meaning":"the edge"})");
}

TEST_CASE("what is no picture, or too large a one, is made one") {
    WrongPlaces places{1, 1, std::vector<std::string>(99, std::string(99, '#')), "a\nb", std::string(9999, 'x')};
    places.map[0] = "\033[31m0.9";
    clean(places);
    CHECK(places.map.size() == 16);
    CHECK(places.map[0] == "  31  .9");
    CHECK(places.map[1] == std::string(32, '#'));
    CHECK(places.where == "a b");
    CHECK(places.meaning.size() < 600);
}

TEST_CASE("in a message the pattern stands before its meaning, and is left out where all of C is wrong") {
    WrongPlaces places;
    CHECK(places.text().empty());
    places.meaning = "C is transposed";
    CHECK(places.text() == "C is transposed");
    places.where = kEverywhere;
    CHECK(places.text() == "C is transposed");
    places.where = "the last row";
    CHECK(places.text() == "pattern: the last row: C is transposed");
    places.meaning.clear();
    CHECK(places.text() == "pattern: the last row");
}
