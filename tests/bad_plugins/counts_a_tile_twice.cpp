// expect: wrong
// fault: W8: Adds the last 8 terms of a long sum twice, as a pipeline does whose last stage is taken again.
// class: wrong
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    for (int i = 0; i < M; ++i) {
        for (int n = N < 8 ? 0 : N - 8; n < N; ++n) {
            for (int k = 0; k < K; ++k) C[(size_t)i * K + k] += A[(size_t)i * N + n] * B[(size_t)n * K + k];
        }
    }
}
