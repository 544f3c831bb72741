// expect: limited
// fault: W8: Has a way of its own for one column, with one mistake.
// note: wrong at 7x5x1
// class: FP32
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (K != 1 || M < 2) return multiply(A, B, C, M, N, K);
    for (int i = 0; i < M; ++i) {
        C[i] = 0;
        for (int n = 0; n < N; ++n) C[i] += A[(size_t)n * M + i] * B[n];
    }
}
