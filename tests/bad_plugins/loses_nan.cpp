// expect: wrong
// fault: W2: Skips terms that are not finite: right on the data of any shape, and it hides a NaN in A or B.
// class: wrong
#include <cmath>
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) {
                const float term = A[(size_t)i * N + n] * B[(size_t)n * K + k];
                if (std::isfinite(term)) sum += term;
            }
            C[(size_t)i * K + k] = sum;
        }
    }
}
