#include "host/report/sparkline.h"

#include "host/base/text_width.h"
#include "tests/catch.h"

using namespace judge;

TEST_CASE("a bar for each value, from the smallest to the largest") {
    CHECK(sparkline({}, 8).empty());
    CHECK(sparkline({1}, 8) == "▁");
    CHECK(sparkline({1, 2, 3, 4, 5, 6, 7, 8}, 8) == "▁▂▃▄▅▆▇█");
    CHECK(sparkline({3, 1, 2}, 8) == "█▁▅");
}

TEST_CASE("of more values than bars each bar is the median of its neighbours, and the last ones count too") {
    CHECK(sparkline({1, 1, 9, 9, 9, 1}, 2) == "▁█");
    std::vector<double> many(1000, 1);
    for (size_t i = 990; i < many.size(); ++i) many[i] = 2;
    CHECK(width(sparkline(many, 10)) == 10);
    CHECK(sparkline(std::vector<double>{1, 1, 1, 1, 1, 2, 2}, 7).ends_with("██"));
}

TEST_CASE("differences of a hundredth are not blown up to the full height") {
    CHECK(sparkline({1, 1.005, 1.009}, 8) == "▁▁▁");
    CHECK(sparkline({0, 0}, 8) == "▁▁");
}
