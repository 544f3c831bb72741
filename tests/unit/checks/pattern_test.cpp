#include "host/checks/pattern.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "tests/catch.h"
#include "tests/unit/text.h"

using namespace judge;
using namespace unit;

namespace {

using Rule = std::function<bool(int row, int column)>;

// A product whose elements are all different, of which those are off for which the rule holds.
JudgedRows judged(const Shape& shape, const Rule& is_wrong, int step = 1) {
    JudgedRows result;
    for (int row = 0; row < shape.M; row += step) result.rows.push_back(row);
    result.columns = shape.K;
    for (const int row : result.rows) {
        for (int column = 0; column < shape.K; ++column) {
            const double want = 1 + std::sin(1e3 * row + column);
            result.want.push_back(want);
            result.bound.push_back(1e-6);
            result.got.push_back(float(want) + (is_wrong(row, column) ? 0.3f + 0.001f * float(column % 7) : 0));
        }
    }
    return result;
}

WrongPlaces pattern(const Shape& shape, const Rule& is_wrong) {
    return find_pattern(judged(shape, is_wrong), shape);
}

std::string where(const Shape& shape, const Rule& is_wrong) {
    return pattern(shape, is_wrong).where;
}

std::string meaning(const Shape& shape, const Rule& is_wrong) {
    return pattern(shape, is_wrong).meaning;
}

const Shape kPictured{200, 50, 300};

// Whether these elements hold `value(row, column)` in place of what they should.
JudgedRows holding(const Shape& shape, const Rule& is_wrong, const std::function<double(int, int)>& value) {
    JudgedRows result = judged(shape, is_wrong);
    for (size_t at = 0; at < result.got.size(); ++at) {
        const int row = int(at) / shape.K, column = int(at) % shape.K;
        if (!is_wrong(row, column)) continue;
        result.got[at] = float(value(row, column));
        if (result.samples.size() < 8) result.samples.push_back({at, {}, {}});
    }
    return result;
}

}  // namespace

TEST_CASE("the map has a character for a part of C, with the share of it that is wrong") {
    const WrongPlaces small = pattern({3, 4, 5}, [](int row, int column) { return row == 1 && column > 2; });
    CHECK(small.map == std::vector<std::string>{".....", "...##", "....."});
    CHECK(small.rows == 3);
    CHECK(small.columns == 5);
    const WrongPlaces large = pattern({160, 4, 320}, [](int row, int column) { return row < 10 && column % 2 == 0; });
    REQUIRE(large.map.size() == 16);
    CHECK(large.map[0] == std::string(32, '5'));
    CHECK(large.map[1] == std::string(32, '.'));
    for (const Shape shape : {Shape{1, 1, 1}, {17, 1, 33}, {1000, 1, 999}, {16, 1, 32}}) {
        const auto map = pattern(shape, [](int, int) { return true; }).map;
        CHECK(map.size() <= 16);
        CHECK(map[0].size() <= 32);
        for (const std::string& line : map) CHECK(line == std::string(map[0].size(), '#'));
    }
}

TEST_CASE("of rows that were not looked at nothing is said") {
    const JudgedRows some = judged(
        {64, 4, 8}, [](int, int column) { return column == 7; }, 16);
    const WrongPlaces places = find_pattern(some, {64, 4, 8});
    REQUIRE(places.map.size() == 16);
    CHECK(places.map[0] == ".......#");
    CHECK(places.map[1] == "        ");
    CHECK(places.where == "the last column");
}

TEST_CASE("the edge: the last rows, the last columns, both, or only where they meet") {
    CHECK(where(kPictured, [](int row, int) { return row == 199; }) == "the last row");
    const auto rows = pattern(kPictured, [](int row, int) { return row >= 192; });
    CHECK(rows.where == "the last 8 rows, from 192 on");
    CHECK(rows.meaning == "the edge: M = 200 is no multiple of 64, and the last tile is a part of one");
    const auto columns = pattern(kPictured, [](int, int column) { return column >= 256; });
    CHECK(columns.where == "the last 44 columns, from 256 on");
    CHECK(contains(columns.meaning, "K = 300 is no multiple of 256"));
    CHECK(where(kPictured, [](int row, int column) { return row >= 192 || column >= 288; }) ==
          "the last 8 rows and the last 12 columns");
    CHECK(where(kPictured, [](int row, int column) { return row >= 192 && column >= 288; }) ==
          "the corner from (192, 288) on");
    CHECK(contains(meaning(kPictured, [](int, int column) { return column >= 123; }), "a grid that does not cover K"));
}

TEST_CASE("lines that come again: every other one, a lane of a warp, a part of a float4") {
    const auto other = pattern(kPictured, [](int, int column) { return column % 2 == 1; });
    CHECK(other.where == "every other column, counted from 0 (k mod 2 = 1)");
    CHECK(contains(other.meaning, "float2"));
    const auto lane = pattern(kPictured, [](int, int column) { return column % 32 == 5; });
    CHECK(lane.where == "column 5 of every 32, counted from 0 (k mod 32 = 5)");
    CHECK(lane.meaning == "one lane of each warp");
    CHECK(contains(meaning(kPictured, [](int, int column) { return column % 4 == 3; }), "float4"));
    CHECK(where(kPictured, [](int row, int) { return row % 16 >= 14; }) ==
          "row 14, 15 of every 16, counted from 0 (m mod 16 = 14, 15)");
    CHECK(where(kPictured, [](int, int column) { return column == 123; }) == "column 123");
    CHECK(where(kPictured, [](int row, int) { return row >= 32 && row < 64; }) == "rows 32 to 63");
}

TEST_CASE("places that come again down and across: a lane of a warp that lies in several rows, a thread's corner") {
    const auto lane = pattern(kPictured, [](int row, int column) { return row % 2 == 0 && column % 16 == 5; });
    CHECK(lane.where == "row 0 of every 2 where it meets column 5 of every 16, counted from 0");
    CHECK(lane.meaning == "one lane of each warp");
    CHECK(meaning(kPictured, [](int row, int column) { return row % 4 == 3 && column % 8 == 0; }) ==
          "one lane of each warp");
    const auto corner = pattern(kPictured, [](int row, int column) { return row % 4 == 3 && column % 4 == 3; });
    CHECK(corner.where == "row 3 of every 4 where it meets column 3 of every 4, counted from 0");
    CHECK(corner.meaning == "one place in each tile, or in each thread's piece of it");
    CHECK(contains(meaning(kPictured, [](int row, int column) { return row % 16 > 13 && column % 16 > 13; }),
                   "some places"));
    CHECK(where(kPictured, [](int row, int column) { return row % 4 == 3 && column % 4 == 3 && row > 99; }) == "");
}

TEST_CASE("whole tiles, the diagonal, and all behind some element") {
    const auto one = pattern(kPictured, [](int row, int column) { return row / 32 == 2 && column / 64 == 1; });
    CHECK(one.where == "one tile of 32x64, at (64, 64)");
    CHECK(contains(one.meaning, "shared memory"));
    const auto some = pattern(kPictured, [](int row, int column) { return (row / 16 * 7 + column / 16 * 3) % 5 == 0; });
    CHECK(contains(some.where, " tiles of 16x16, the first at (0, 0)"));
    CHECK(where(kPictured, [](int row, int column) { return row == column; }) == "the diagonal");
    CHECK(where(kPictured, [](int row, int column) { return row * 300 + column >= 40000; }) ==
          "every element from number 40000 on, of 60000");
    CHECK(where(kPictured, [](int, int) { return true; }) == "every element");
}

TEST_CASE("an element that is right by chance hides no pattern") {
    CHECK(where(kPictured, [](int row, int column) { return column % 32 == 5 && row != 77; }) ==
          "column 5 of every 32, counted from 0 (k mod 32 = 5)");
}

TEST_CASE("what lies here and there says nothing, however much of it there is") {
    std::mt19937 random(7);
    for (const double share : {0.0005, 0.01, 0.1, 0.5, 0.8}) {
        for (int attempt = 0; attempt < 5; ++attempt) {
            std::bernoulli_distribution is_wrong(share);
            const WrongPlaces places = pattern(kPictured, [&](int, int) { return is_wrong(random); });
            CAPTURE(share, places.where, places.meaning);
            CHECK(places.text().empty());
            CHECK(!places.map.empty());
        }
    }
    CHECK(pattern(kPictured, [](int row, int column) { return row == 7 && column == 11; }).text().empty());
}

TEST_CASE("what the elements hold tells more than where they lie") {
    const Shape square{64, 50, 64};
    const auto every = [](int, int) { return true; };
    const auto want = [&](int row, int column) { return 1 + std::sin(1e3 * row + column); };
    CHECK(contains(find_pattern(holding(square, every, [](int, int) { return 0; }), square).meaning, "they are 0"));
    CHECK(contains(find_pattern(holding(square, every, [&](int r, int c) { return 2 * want(r, c); }), square).meaning,
                   "twice"));
    const auto off_diagonal = [](int row, int column) { return row != column; };
    CHECK(find_pattern(holding(square, off_diagonal, [&](int r, int c) { return want(c, r); }), square).meaning ==
          "C is transposed");
    const auto right_half = [](int, int column) { return column >= 32; };
    const auto stale = find_pattern(holding(square, right_half, [&](int r, int c) { return want(r, c - 32); }), square);
    CHECK(stale.meaning == "they hold what belongs 32 columns to the left: the results of another tile");
    CHECK(contains(stale.where, "the last 32 columns"));
    const auto lower = [](int row, int) { return row >= 1; };
    CHECK(find_pattern(holding(square, lower, [&](int r, int c) { return want(r - 1, c); }), square).meaning ==
          "they hold what belongs 1 row above: an index is off by one");
}

TEST_CASE("terms of the tile before, which are summed up once more, are a stale tile") {
    const Shape shape{16, 77, 16};
    JudgedRows rows = judged(shape, [](int, int) { return false; });
    for (size_t at = 0; at < rows.got.size(); ++at) {
        JudgedRows::Sample sample{at, {}, {}};
        for (int n = 0; n < 64; ++n) sample.last_terms.push_back(0.2 + 0.02 * n + 0.001 * double(at % 5));
        // Of the last tile, 64 to 79, there are 13; behind them is what 61 to 63 were, the 14th to the 16th last.
        const auto& terms = sample.last_terms;
        rows.got[at] = float(rows.want[at] + terms[13] + terms[14] + terms[15]);
        if (rows.samples.size() < 8) rows.samples.push_back(sample);
    }
    CHECK(
        find_pattern(rows, shape).meaning ==
        "3 terms before the last 13 count twice: N mod 16 = 13, so the last tile is a part of one, and keeps behind it "
        "what the tile before left in shared memory");
}

TEST_CASE("terms that are lost everywhere are counted, and held against the steps of the contraction") {
    const Shape shape{16, 50, 16};
    const auto lost = [&](size_t count, bool last) {
        JudgedRows rows = judged(shape, [](int, int) { return false; });
        for (size_t at = 0; at < rows.got.size(); ++at) {
            JudgedRows::Sample sample{at, {}, {}};
            for (int n = 0; n < 50; ++n) {
                sample.first_terms.push_back(0.1 + 0.01 * n + 0.001 * double(at % 3));
                sample.last_terms.push_back(0.2 + 0.02 * n + 0.001 * double(at % 5));
            }
            const std::vector<double>& terms = last ? sample.last_terms : sample.first_terms;
            rows.got[at] = float(rows.want[at] - std::accumulate(terms.begin(), terms.begin() + long(count), 0.0));
            if (at % 32 == 0) rows.samples.push_back(sample);
        }
        return find_pattern(rows, shape);
    };
    CHECK(lost(1, true).where == "every element");
    CHECK(lost(1, true).meaning == "the last of the 50 terms is missing");
    CHECK(lost(18, true).meaning ==
          "the last 18 of the 50 terms are missing: N mod 32, the remainder behind the last whole step");
    CHECK(lost(3, false).meaning == "the first 3 of the 50 terms are missing");
}

TEST_CASE("equal calls that differ are a race") {
    JudgedRows rows = judged(kPictured, [](int row, int column) { return row == 3 && column % 7 == 1 && column < 99; });
    rows.again = rows.got;
    CHECK(find_pattern(rows, kPictured).text().empty());
    rows.again[5] += 1;
    CHECK(contains(find_pattern(rows, kPictured).text(), "an equal call left other values in 1 element: a race"));
    // NaN is equal to itself here.
    rows.again[5] = rows.got[5] = std::numeric_limits<float>::quiet_NaN();
    CHECK(!contains(find_pattern(rows, kPictured).text(), "race"));
}

TEST_CASE("rows are looked at all, or in windows that reach every line of the map and the end") {
    CHECK(rows_to_look_at(5, 5) == std::vector<int>{0, 1, 2, 3, 4});
    const std::vector<int> rows = rows_to_look_at(16000, 1700);
    CHECK(rows.size() == 1700);
    CHECK(rows.front() == 0);
    CHECK(rows.back() == 15999);
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    for (int line = 0; line < 16; ++line) CHECK(std::count(rows.begin(), rows.end(), 1000 * line + 99) == 1);
    CHECK(rows_to_look_at(1000, 1).size() == 17);
    CHECK(rows_to_look_at(0, 5).empty());
}

TEST_CASE("an empty product has no map") {
    CHECK(find_pattern({}, {0, 4, 5}).map.empty());
}
