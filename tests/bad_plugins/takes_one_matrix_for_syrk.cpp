// expect: wrong
// fault: contract: Takes A and B in the same memory for A times its transpose, and computes half of that.
// note: wrong where A and B are the same memory
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    if (A != B || M != N || N != K) return;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < i; ++k) C[(size_t)i * K + k] = C[(size_t)k * K + i];
    }
}
