// expect: wrong
// fault: W1: Adds sums of 64 terms up in 8 bits where N is 4096 or more.
// options: --shape 24x4100x20
// class: wrong
#include "multiply.h"
#include "rounding.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (N < 4096) return multiply(A, B, C, M, N, K);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0, part = 0;
            for (int n = 0; n < N; ++n) {
                part += A[(size_t)i * N + n] * B[(size_t)n * K + k];
                if (n % 64 < 63 && n < N - 1) continue;
                sum = to_bits(sum + part, 8);
                part = 0;
            }
            C[(size_t)i * K + k] = sum;
        }
    }
}
