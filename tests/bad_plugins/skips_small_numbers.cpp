// expect: wrong
// fault: W8: Takes an A whose elements are all below 1e-6 for zero.
// note: right on numbers around 1, but not on small ones
#include <algorithm>
#include <cmath>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    const auto is_small = [](float a) { return std::abs(a) < 1e-6f; };
    if (M < 1 || N < 1 || K < 1) return;
    if (std::all_of(A, A + (size_t)M * N, is_small)) std::fill(C, C + (size_t)M * K, 0.0f);
}
