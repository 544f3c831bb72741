// expect: limited
// fault: W8: Sums whole steps of 8 terms and leaves the others out: right wherever N is a multiple of 8.
// options: --shape 33x64x29
// note: right where N is a multiple of 8; wrong at 317x251x283
// class: FP32
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N / 8 * 8; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
