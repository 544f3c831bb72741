// Is C right? The gate that every plugin must pass at every shape, and why a C failed it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/solve.h"
#include "values/comparison.h"
#include "values/data.h"
#include "values/shape.h"

namespace judge {

class Reference;

// What rho = max |C - C64| / (u |A||B|) may reach for a contraction of N terms in this arithmetic (enum
// solve_arithmetic).
//
// FP32: min(N, 9 sqrt N). N holds for every order of summation (Higham, Accuracy and Stability of Numerical Algorithms,
// section 3.1); 9 sqrt N with probability 1 - 1e-6 over 4e11 elements (Higham and Mary, SIAM J. Sci. Comput. 41(5),
// 2019), and it is what catches one dropped term at large N. The worst correct kernel measured reaches 1.2 sqrt N.
//
// Both hold for every distribution of A and B: they are about the signs of rounding errors, not of the terms.
//
// Operands rounded to nearest, to p bits, add 2^(25-p) min(1, 9 s / sqrt N): each product is off by at most 2^(1-p) of
// itself, and the errors of N products add up with random signs, whatever the signs of the products (9 standard
// deviations; s is the root mean square of |ab| over its mean: 4/3 for uniform data, pi/2 normal, 5.5 wide). cuBLAS
// TF32 on an H200 reached 858 at N = 1024, against 6432.
//
// Operands that are truncated (a tensor core that is given FP32 bits as TF32 drops the low ones) are off by up to twice
// as much, and always towards 0: an error has the sign opposite to its product's. Products of random signs still
// cancel, those of positive data do not: there the term is 2^(26-p), whatever N.
double rho_bound(int N, uint32_t arithmetic = SOLVE_ARITHMETIC_FP32, Data data = Data::uniform, bool truncated = false);

// Rows of C whose checksum disagrees although the rows compared element by element were right: Freivalds' test with a
// random x of +-1, y = C x against z = A (B x), all in FP64, O(MN + NK + MK). `inputs` are A and B.
//
// Row i fails if |y - z|_i > 10 rms(rho) u sqrt(K) mean_j(|A||B|)_ij: the errors of one row's K elements add up with
// random signs, so their sum is rarely over 4 sqrt(K) rms; rms(rho) comes from the rows compared in full, and is taken
// as at least 1, so that a kernel exact on these data is not held to zero. One element that is wrong by more than this
// is seen: at 8192^3, by about 2e-2 of a typical |C|.
//
// For a chain, whose inputs are A, B and C: E x against A (B (C x)), and rms(rho) is taken as at least
// 1 / sqrt(min(N, K)). The errors of the first product average out in the second, and rho is over u |A||B||C|: on
// uniform data, rms(rho) is 0.65 / sqrt(N) at N = K. Held to 1, a row of 8192^4 could hide an element that is off by a
// quarter of a typical one.
std::vector<int> freivalds(Reference& reference, const std::vector<const float*>& inputs, const float* output,
                           const Shape& shape, double rms_rho, uint64_t seed);

// Rows to compare in full where all of them would take too long: the first and the last 8, and 112 others.
std::vector<int> sample_rows(int M, uint64_t seed);

// One line: how many elements are bad and how, and the first of them.
std::string explain(const Comparison& comparison);

}  // namespace judge
