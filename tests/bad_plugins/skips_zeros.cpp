// expect: wrong
// fault: W2: Leaves a term out if its factor from A is 0, though the other one may be infinite or NaN.
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) {
                const float a = A[(size_t)i * N + n];
                if (a != 0) sum += a * B[(size_t)n * K + k];
            }
            C[(size_t)i * K + k] = sum;
        }
    }
}
