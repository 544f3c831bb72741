#include "values/comparison.h"

#include <algorithm>
#include <cmath>

namespace judge {

double Comparison::normwise() const {
    return error_sum_of_squares == 0 ? 0 : std::sqrt(error_sum_of_squares / product_sum_of_squares);
}

Comparison merge(const Comparison& a, const Comparison& b) {
    Comparison sum = a;
    sum.compared += b.compared;
    sum.wrong += b.wrong;
    sum.nan += b.nan;
    sum.inf += b.inf;
    sum.max_error = std::max(a.max_error, b.max_error);
    sum.rho = std::max(a.rho, b.rho);
    sum.rho_sum_of_squares += b.rho_sum_of_squares;
    sum.error_sum_of_squares += b.error_sum_of_squares;
    sum.product_sum_of_squares += b.product_sum_of_squares;
    sum.not_close += b.not_close;
    const auto before = [](const Mismatch& x, const Mismatch& y) {
        return x.row != y.row ? x.row < y.row : x.col < y.col;
    };
    if (b.first && (!sum.first || before(*b.first, *sum.first))) sum.first = b.first;
    return sum;
}

}  // namespace judge
