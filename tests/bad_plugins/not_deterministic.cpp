// expect: ok
// fault: W16: Adds in another order at each call, as atomic additions do: right, and never twice the same.
// class: FP32
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static int calls = 0;
    const int first = N > 0 ? ++calls % N : 0;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int t = 0; t < N; ++t) {
                const int n = (first + t) % N;
                sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            }
            C[(size_t)i * K + k] = sum;
        }
    }
}
