// How far off C may be: the bound that every plugin is held to at every shape.
#pragma once

#include <cstdint>

#include "abi/solve.h"
#include "values/data.h"

namespace judge {

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

}  // namespace judge
