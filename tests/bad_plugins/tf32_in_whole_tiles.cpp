// expect: ok
// fault: W1: Rounds to TF32 in whole tiles of 96 x 96 where N is a multiple of 96, and not at the edges.
// options: --shape 100x96x99
// class: TF32-grade
#include "multiply.h"
#include "rounding.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    constexpr int kTile = 96;
    multiply(A, B, C, M, N, K);
    if (N % kTile) return;
    const auto a = to_bits(A, size_t(M) * N, 11), b = to_bits(B, size_t(N) * K, 11);
    for (int i = 0; i < M / kTile * kTile; ++i) {
        for (int k = 0; k < K / kTile * kTile; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += a[size_t(i) * N + n] * b[size_t(n) * K + k];
            C[size_t(i) * K + k] = sum;
        }
    }
}
