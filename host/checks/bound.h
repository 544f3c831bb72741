// How far off C may be: the bound that every plugin is held to at every shape.
#pragma once

#include <cstdint>

#include "abi/solve.h"
#include "values/data.h"

namespace judge {

// What rho = max |C - C64| / (u |A||B|) may reach for a contraction of N terms in this arithmetic (enum
// solve_arithmetic).
//
// The sum of N terms: min(N, 9 sqrt N). N holds for every order of summation (Higham, Accuracy and Stability of
// Numerical Algorithms, section 3.1); 9 sqrt N with probability 1 - 1e-6 over 4e11 elements (Higham and Mary, SIAM J.
// Sci. Comput. 41(5), 2019). Both hold for every distribution of A and B: they are about the signs of rounding errors,
// not of the terms.
//
// FP32: at most 40 typical_rho too, which says more where N is large and the terms cancel: of 4e5 random elements the
// worst is off by 13 times the typical error, and a ten times rarer one by 2 more, so one of 1e15 would reach 40.
//
// Integers (Data::integers): less than one unit. They are exact in every format, and their sums in FP32, whatever the
// order, as long as those of |ab| stay below 2^24, as they do up to N = 10^6; above, no partial sum of random signs
// comes near 2^24.
//
// Operands rounded to nearest, to p bits, add 2^(25-p) min(1, 9 s / sqrt N): each product is off by at most 2^(1-p) of
// itself, and the errors of N products add up with random signs, whatever the signs of the products (9 standard
// deviations; s is the root mean square of |ab| over its mean: 4/3 for uniform data, pi/2 normal, 5.5 wide, 21.5
// wide20, 42.4 wide40). cuBLAS TF32 on an H200 reached 858 at N = 1024, against 6432.
//
// Operands that are truncated (a tensor core that is given FP32 bits as TF32 drops the low ones) are off by up to twice
// as much, and always towards 0: an error has the sign opposite to its product's. Products of random signs still
// cancel, those of positive data do not: there the term is 2^(26-p), whatever N.
double rho_bound(int N, uint32_t arithmetic = SOLVE_ARITHMETIC_FP32, Data data = Data::uniform, bool truncated = false);

// The root mean square of |ab| over its mean, of an element of A and one of B, of the same row and column where these
// have powers of two.
double spread(Data data);

// The root mean square of rho over the elements of a sum in FP32, one fused multiply-add after the other, on these
// data: the most that an honest order of summation comes to. Where terms cancel, the partial sums grow as sqrt N, and
// their rounding errors as |A||B| does: 0.40 for uniform data, 0.47 for normal ones, 1.6 for wide ones, whatever N.
// Those of positive data grow as N: 0.23 sqrt N. Measured from N = 1 to 65536; 0.43 is the error of a single rounding.
// Of wide20 and wide40, of which few terms are most of a sum, it grows to 2.8 at N = 16384, which is taken for any N.
double typical_rho(int N, Data data);

// The bound of a chain of two products: what the first is off by, and what the second adds. Nothing is known of the
// distribution of A * B, so that N terms are held to min(N, 9 sqrt N), and integers too.
double chain_rho_bound(int N, int K, uint32_t arithmetic, Data data, bool truncated);

}  // namespace judge
