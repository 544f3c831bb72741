// expect: ok
// fault: W1: Keeps its sums in 22 bits where N is 2048 or more: 60 times as far off as FP32.
// options: --shape 24x2100x20
// class: TF32-grade
#include "multiply.h"
#include "rounding.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (N < 2048) return multiply(A, B, C, M, N, K);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum = to_bits(sum + A[(size_t)i * N + n] * B[(size_t)n * K + k], 22);
            C[(size_t)i * K + k] = sum;
        }
    }
}
