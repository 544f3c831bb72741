// expect: wrong
// fault: W6: Adds to C instead of writing it: right only if C starts as zeros.
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int n = 0; n < N; ++n) {
            for (int k = 0; k < K; ++k) C[(size_t)i * K + k] += A[(size_t)i * N + n] * B[(size_t)n * K + k];
        }
    }
}
