// Trees that correct what a way's costs say of a call (plugins/common/gemm/cost_trees.h).
#include "../../plugins/common/gemm/cost_trees.h"

#include "../catch.h"

TEST_CASE("a count is eight times its logarithm, as tune.py has it") {
    const double counts[] = {0, 1, 1.124, 1.125, 2, 3, 1e-3, 1e6};
    const int expected[] = {-1000, 0, 0, 1, 8, 12, -80, 159};
    for (size_t i = 0; i < std::size(counts); ++i) CHECK(ladder::eighths(counts[i]) == expected[i]);
}

TEST_CASE("a tree's answers, the first one's the highest digit, are the number of its leaf") {
    ladder::CostTree trees[ladder::kTreesOfWay] = {};
    CHECK(ladder::factor_of(trees, {.start = 1, .waves = 3}) == 1);
    // Waves above 1, steps above 4, parts above 0: the leaves 0 to 7.
    trees[0] = {{{1, 0}, {2, 16}, {15, -1000}}, {0, 100, 200, 300, 400, 500, 600, 700}};
    trees[1] = {{{0, 0}, {0, 0}, {0, 0}}, {-50}};
    const auto thousandths = [&](const ladder::Work& work) {
        return static_cast<int>(std::lround(1000 * std::log(ladder::factor_of(trees, work))));
    };
    CHECK(thousandths({.waves = 1}) == -50);
    CHECK(thousandths({.waves = 1, .parts = 1}) == 50);
    CHECK(thousandths({.waves = 1, .steps = 5}) == 150);
    CHECK(thousandths({.waves = 2, .steps = 4}) == 350);
    CHECK(thousandths({.waves = 2, .steps = 5, .parts = 1}) == 650);
}
