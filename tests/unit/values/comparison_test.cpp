#include "host/values/comparison.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace judge;

namespace {

Comparison with_first(int64_t row, int64_t col) {
    Comparison comparison;
    comparison.first = Mismatch{row, col, 0, 0, 0};
    return comparison;
}

}  // namespace

TEST_CASE("the normwise error is that of the whole matrix") {
    Comparison comparison;
    CHECK(comparison.normwise() == 0);
    comparison.error_sum_of_squares = 4;
    comparison.product_sum_of_squares = 16;
    CHECK(comparison.normwise() == 0.5);
    comparison.product_sum_of_squares = 0;
    CHECK(std::isinf(comparison.normwise()));
}

TEST_CASE("close enough is what torch.allclose(atol=1e-3) takes") {
    CHECK(close_enough(0.001, 0));
    CHECK(!close_enough(0.00101, 0));
    CHECK(close_enough(0.00109, -10));
    CHECK(!close_enough(0.00111, 10));
    CHECK(!close_enough(std::nan(""), 1));
    CHECK(!close_enough(std::numeric_limits<double>::infinity(), 1));
}

TEST_CASE("merging adds the counts and takes the larger errors") {
    Comparison a, b;
    a.compared = 10;
    a.wrong = 1;
    a.nan = 2;
    a.inf = 3;
    a.max_error = 0.5;
    a.rho = 7;
    a.rho_sum_of_squares = 100;
    a.error_sum_of_squares = 3;
    a.product_sum_of_squares = 5;
    a.not_close = 7;
    b.compared = 20;
    b.wrong = 4;
    b.nan = 5;
    b.inf = 6;
    b.max_error = 0.25;
    b.rho = 8;
    b.rho_sum_of_squares = 11;
    b.error_sum_of_squares = 30;
    b.product_sum_of_squares = 50;
    b.not_close = 70;
    const Comparison both = merge(a, b);
    CHECK(both.compared == 30);
    CHECK(both.wrong == 5);
    CHECK(both.nan == 7);
    CHECK(both.inf == 9);
    CHECK(both.max_error == 0.5);
    CHECK(both.rho == 8);
    CHECK(both.rho_sum_of_squares == 111);
    CHECK(both.error_sum_of_squares == 33);
    CHECK(both.product_sum_of_squares == 55);
    CHECK(both.not_close == 77);
    CHECK(!both.first);
}

TEST_CASE("merging keeps the first mismatch in row-major order, whichever part it is in") {
    const auto first_of = [](const Comparison& a, const Comparison& b) {
        const Comparison both = merge(a, b);
        return std::pair(both.first->row, both.first->col);
    };
    CHECK(first_of(with_first(2, 9), with_first(3, 1)) == std::pair<int64_t, int64_t>(2, 9));
    CHECK(first_of(with_first(3, 1), with_first(2, 9)) == std::pair<int64_t, int64_t>(2, 9));
    CHECK(first_of(with_first(4, 5), with_first(4, 3)) == std::pair<int64_t, int64_t>(4, 3));
    CHECK(first_of(Comparison{}, with_first(7, 7)) == std::pair<int64_t, int64_t>(7, 7));
    CHECK(first_of(with_first(7, 7), Comparison{}) == std::pair<int64_t, int64_t>(7, 7));
}

TEST_CASE("any wrong element, NaN or infinity makes a comparison not right") {
    Comparison comparison;
    CHECK(comparison.right());
    comparison.rho = 1000;
    CHECK(comparison.right());
    SECTION("wrong") {
        comparison.wrong = 1;
    }
    SECTION("NaN") {
        comparison.nan = 1;
    }
    SECTION("infinite") {
        comparison.inf = 1;
    }
    CHECK(!comparison.right());
}
