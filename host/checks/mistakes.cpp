#include "checks/mistakes.h"

#include <fmt/format.h>

#include <cstdlib>

namespace judge {

namespace {

// rows x columns, as it lies in memory column by column, row by row.
Matrix by_rows(const Matrix& by_columns, int rows, int columns) {
    Matrix matrix(by_columns.size());
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) matrix[size_t(i) * columns + j] = by_columns[size_t(j) * rows + i];
    }
    return matrix;
}

// The one factor by which every element of C is that of the product; 0 if there is none.
float common_factor(const Matrix& c, const Matrix& product) {
    float factor = 0;
    for (size_t i = 0; i < c.size(); ++i) {
        if (product[i] == 0 && c[i] == 0) continue;
        if (product[i] == 0) return 0;
        const float here = c[i] / product[i];
        if (factor == 0) factor = here;
        if (!(std::abs(here - factor) <= 1e-5f * std::abs(factor))) return 0;
    }
    return factor;
}

}  // namespace

std::string other_product(const Operands& operands, const Matrix& c) {
    const auto [M, N, K, L] = operands.shape;
    const Matrix a_by_columns = by_rows(operands.a, M, N), b_by_columns = by_rows(operands.b, N, K);
    const auto product = [&](const Matrix& a, const Matrix& b) { return sequential_product({operands.shape, a, b}); };
    const Matrix right = product(operands.a, operands.b);
    if (c == right) return {};
    if (c == by_rows(right, K, M)) return "C comes out column-major (transposed): it is row-major here";
    if (by_rows(c, M, K) == product(a_by_columns, b_by_columns)) {
        return "this kernel takes all matrices as column-major, as the BLAS does: they are row-major here";
    }
    if (c == product(operands.a, b_by_columns)) return "this kernel takes B as transposed, K x N: it is N x K here";
    if (c == product(a_by_columns, operands.b)) return "this kernel takes A as transposed, N x M: it is M x N here";
    if (c == product(a_by_columns, b_by_columns))
        return "this kernel takes A and B as column-major: they are row-major here";
    if (const float factor = common_factor(c, right); factor != 0) {
        return fmt::format("C is {:.6g} A B: there is no alpha here", factor);
    }
    return {};
}

}  // namespace judge
