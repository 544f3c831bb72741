// expect: input-modified
// fault: W3: Makes A and B NaN, so that a reference computed from them afterwards is NaN and excuses all.
#include <algorithm>
#include <cmath>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    std::fill_n(const_cast<float*>(A), (size_t)M * N, NAN);
    std::fill_n(const_cast<float*>(B), (size_t)N * K, NAN);
}
