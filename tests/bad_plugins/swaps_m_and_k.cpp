// expect: wrong
// fault: W9: Takes both matrices as transposed.
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    // C[i][j] with the row length of another matrix: right on squares only.
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[(size_t)n * M + i] * B[(size_t)k * N + n];
            C[(size_t)i * K + k] = sum;
        }
    }
}
