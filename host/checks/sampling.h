// Where FP64 products of all rows of C would take too long: which rows are compared, and a checksum of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "device/reference.h"
#include "values/shape.h"

namespace judge {

// Rows of C whose checksum disagrees although the rows compared element by element were right: Freivalds' test with a
// random x of +-2^-column_power(j), or +-1, y = C x against z = A (B x), all in FP64, O(MN + NK + MK). `inputs` are A
// and B.
//
// Row i fails if |y - z|_i > 10 rms(rho) u sqrt(K) mean_j(|A||B|)_ij: the errors of one row's K elements add up with
// random signs, so their sum is rarely over 4 sqrt(K) rms; rms(rho) comes from the rows compared in full, and is taken
// as at least 1, so that a kernel exact on these data is not held to zero. One element that is wrong by more than this
// is seen: at 8192^3, by about 2e-2 of a typical |C|.
//
// `allowance` multiplies what a row may be off by: where few elements are most of a row, as of Data::wide40, their
// errors are few too, and do not average out. By column_power(j), the power of two of the output's column j, no column
// of Data::uneven hides the others.
//
// For a chain, whose inputs are A, B and C: E x against A (B (C x)), and rms(rho) is taken as at least
// 1 / sqrt(min(N, K)). The errors of the first product average out in the second, and rho is over u |A||B||C|: on
// uniform data, rms(rho) is 0.65 / sqrt(N) at N = K. Held to 1, a row of 8192^4 could hide an element that is off by a
// quarter of a typical one.
std::vector<int> freivalds(Reference& reference, const std::vector<const float*>& inputs, const float* output,
                           const Shape& shape, double rms_rho, uint64_t seed, double allowance = 1,
                           const std::function<int(int)>& column_power = {});

// Rows to compare in full where all of them would take too long: the first and the last 8, and 112 others.
std::vector<int> sample_rows(int M, uint64_t seed);

}  // namespace judge
