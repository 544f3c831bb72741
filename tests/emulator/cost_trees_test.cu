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
    CHECK(ladder::factor_of(trees, {}, {.start = 1, .waves = 3}) == 1);
    // Waves above 1, steps above 4, parts above 0: the leaves 0 to 7.
    trees[0] = {{{0, 1000}, {1, 0}, {2, 16}, {15, -1000}}, {0, 100, 200, 300, 400, 500, 600, 700}};
    trees[1] = {{}, {-50}};
    const auto thousandths = [&](const ladder::Work& work) {
        return static_cast<int>(std::lround(1000 * std::log(ladder::factor_of(trees, {}, work))));
    };
    CHECK(thousandths({.waves = 1}) == -50);
    CHECK(thousandths({.waves = 1, .parts = 1}) == 50);
    CHECK(thousandths({.waves = 1, .steps = 5}) == 150);
    CHECK(thousandths({.waves = 2, .steps = 4}) == 350);
    CHECK(thousandths({.waves = 2, .steps = 5, .parts = 1}) == 650);
}

TEST_CASE("trees may ask for shares of the sum of costs, and for the sum, as tune.py does") {
    constexpr int kShares = std::size(ladder::kCounts), kSum = 2 * kShares;
    const ladder::Costs costs{.start = 100, .waves = 7};
    const ladder::Work work{.start = 1, .waves = 3, .steps = 2};  // 100 and 21 of 121: 52 and 11 64ths
    const auto is_above = [&](int feature, int limit) {
        ladder::CostTree trees[ladder::kTreesOfWay] = {};
        for (auto& question : trees[0].questions) question[1] = 1000;  // no
        auto& last = trees[0].questions[ladder::kQuestions - 1];
        last[0] = static_cast<int16_t>(feature), last[1] = static_cast<int16_t>(limit);
        trees[0].leaves[1] = 1000;
        return ladder::factor_of(trees, costs, work) > 2;
    };
    for (const auto& [feature, value] : {std::pair(kShares, 52), {kShares + 1, 11}, {kShares + 2, 0}, {kSum, 55}}) {
        INFO(feature);
        CHECK(is_above(feature, value - 1));
        CHECK_FALSE(is_above(feature, value));
    }
}
