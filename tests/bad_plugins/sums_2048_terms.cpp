// expect: limited
// fault: W8: Keeps a row of A in a buffer of 2048 elements, and leaves out the terms that do not fit.
// note: right up to N = 2048, not at 2049
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (N <= 2048) return multiply(A, B, C, M, N, K);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < 2048; ++n) sum += A[(long)i * N + n] * B[(long)n * K + k];
            C[(long)i * K + k] = sum;
        }
    }
}
