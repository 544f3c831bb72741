// Products of matrices in host memory, small enough for the judge to make them itself, in FP32 and in FP64.
#pragma once

#include <cstdint>
#include <vector>

#include "checks/rounding.h"
#include "values/data.h"
#include "values/shape.h"

namespace judge {

using Matrix = std::vector<float>;  // row-major, contiguous

// A[M x N] and B[N x K].
struct Operands {
    Shape shape;
    Matrix a, b;

    float& A(int i, int n) { return a[size_t(i) * shape.N + n]; }
    float& B(int n, int k) { return b[size_t(n) * shape.K + k]; }
};

Operands zeros(const Shape& shape);
Operands random_operands(const Shape& shape, uint64_t seed, Data data);

// B^T and A^T, whose product is C^T.
Operands transposed(const Operands& of);

// C by the judge's own FP32 sums, one fused multiply-add after the other. The product of two floats is exact in FP64,
// so this rounds twice, differently from fmaf once in 2^29 sums.
Matrix sequential_product(const Operands& operands);

// A product in FP64, and that of the absolute values.
struct Exact {
    std::vector<double> sum, magnitude;
};

Exact exact_product(const Operands& operands);
// Of A and B, or one of them, rounded; then exact.
Exact product_of_rounded(const Operands& operands, Rounding rounding, RoundedOperands which);

// ||C - C64||_F
double frobenius_error(const Matrix& c, const Exact& exact);

// Whether each element is as near to it as those of any class; if not, there is more missing than precision.
bool is_roughly(const float* c, const Exact& exact);

// Of all elements, the part that is not equal to `want`; NaN is equal to nothing.
double share_different(const Matrix& c, const Matrix& want);

}  // namespace judge
