// The FP64 arithmetic of the CUDA device: comparisons of C with an exact product, and products with a vector.
#pragma once

#include <vector>

#include "values/comparison.h"
#include "values/shape.h"

namespace judge {

// As the members of Device of the same names; every pointer but `x` is to device memory.
Comparison compare_on_gpu(const float* A, const float* B, const float* C, const Shape& shape, double rho_bound,
                          const std::vector<int>& rows);
Comparison compare_chain_on_gpu(const float* A, const float* B, const float* C, const float* E, const Shape& shape,
                                double rho_bound, const std::vector<int>& rows);
std::vector<double> multiply_on_gpu(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                    bool absolute);

}  // namespace judge
