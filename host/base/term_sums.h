// Sums of products, term by term: what the judge computes most of. By the widest vectors that the processor has, of
// which the bits do not depend: the product of two floats is exact in FP64.
#pragma once

#include <cstddef>

namespace judge {

// sum[k] += a * b[k] and magnitude[k] += absolute_a * |b[k]|, for each k.
void add_term(double a, double absolute_a, const float* b, size_t count, double* sum, double* magnitude);

// sum[k] = a * b[k] + sum[k], rounded to FP32: as one fused multiply-add, but once in 2^29 times.
void add_term_in_fp32(double a, const float* b, size_t count, float* sum);

}  // namespace judge
