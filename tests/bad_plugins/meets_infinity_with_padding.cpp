// expect: ok
// fault: W2: Past the end of N it takes A's last column again, opposite zeros: an infinity there becomes NaN.
// note: not that infinity
#include <algorithm>
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const int padded = (N + 15) / 16 * 16;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < padded; ++n) {
                sum += A[(size_t)i * N + std::min(n, N - 1)] * (n < N ? B[(size_t)n * K + k] : 0.0f);
            }
            C[(size_t)i * K + k] = sum;
        }
    }
}
