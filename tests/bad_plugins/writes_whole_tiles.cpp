// expect: out-of-bounds
// fault: W12: Writes as many rows as fill tiles of 2048: what lies behind C is a megabyte of somebody else's.
// note: around C
#include <cstddef>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    const size_t rows = (M + 2047) / 2048 * 2048;
    for (size_t i = (size_t)M * K; i < rows * K; ++i) C[i] = 0;
}
