// Trees that correct what a way's costs say of a call (plugins/common/gemm/cost_trees.h).
#include "../../plugins/common/gemm/cost_trees.h"

#include "../catch.h"

namespace {

constexpr int kShares = std::size(ladder::kCounts), kSum = 2 * kShares;

constexpr int16_t leaf(int thousandths) {
    return static_cast<int16_t>(thousandths - ladder::kLeaf);
}

solve_gemm_t call_of(int M, int N, int K, int batch) {
    solve_gemm_t call{};
    call.M = M, call.N = N, call.K = K, call.batch = batch;
    return call;
}

}  // namespace

TEST_CASE("a count is sixteen times its logarithm, as tune.py has it") {
    const double counts[] = {0, 1, 1.062, 1.0625, 2, 3, 1e-3, 1e6};
    const int expected[] = {-2000, 0, 0, 1, 16, 24, -160, 318};
    for (size_t i = 0; i < std::size(counts); ++i) CHECK(ladder::sixteenths(counts[i]) == expected[i]);
}

TEST_CASE("the leaves that a call comes to, one of each tree, are added") {
    // Waves above 1? No: steps above 4? Yes: parts above 0? And a tree that is a leaf.
    const ladder::CostQuestion questions[] = {
        {1, 0, 1, 2}, {2, 32, leaf(100), leaf(200)}, {15, -2000, leaf(300), leaf(-400)}};
    const int32_t first[] = {0, leaf(-50)};
    const auto thousandths = [&](const ladder::Work& work) {
        const double factor = ladder::factor_of({questions, first}, 0, {}, work, call_of(1, 1, 1, 1), {});
        return static_cast<int>(std::lround(1000 * std::log(factor)));
    };
    CHECK(thousandths({.waves = 1}) == 50);
    CHECK(thousandths({.waves = 1, .steps = 5, .parts = 1}) == 150);
    CHECK(thousandths({.waves = 2, .steps = 4}) == 250);
    CHECK(thousandths({.waves = 2, .steps = 5, .parts = 1}) == -450);
    CHECK(ladder::factor_of({}, 0, {}, {.start = 1}, call_of(1, 1, 1, 1), {}) == 1);
    const double of_one = ladder::factor_of({questions, first}, 0, {}, {.waves = 1}, call_of(1, 1, 1, 1), {}, 1);
    CHECK(std::lround(1000 * std::log(of_one)) == 100);
}

TEST_CASE("trees may ask for shares of the sum of costs, the sum, the call's sizes and the way, as tune.py does") {
    const ladder::Costs costs{.start = 100, .waves = 7};
    const ladder::Work work{.start = 1, .waves = 3, .steps = 2};  // 100 and 21 of 121: 52 and 11 64ths
    const auto is_above = [&](int feature, int limit) {
        const ladder::CostQuestion questions[] = {
            {static_cast<int16_t>(feature), static_cast<int16_t>(limit), leaf(0), leaf(1000)}};
        const int32_t first[] = {0};
        return ladder::factor_of({questions, first}, 7, costs, work, call_of(64, 96, 1, 3), {.memory = 3352}) > 2;
    };
    for (const auto& [feature, value] : {std::pair(1, 24),
                                         {kShares, 52},
                                         {kShares + 1, 11},
                                         {kShares + 2, 0},
                                         {kSum, 110},
                                         {kSum + 1, 96},
                                         {kSum + 2, 104},
                                         {kSum + 3, 0},
                                         {kSum + 4, 24},
                                         {kSum + 5, 186},
                                         {kSum + 6, 7}}) {
        INFO(feature);
        CHECK(is_above(feature, value - 1));
        CHECK_FALSE(is_above(feature, value));
    }
}
