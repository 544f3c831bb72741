// expect: limited
// fault: W9: Covers C by tiles of 128 x 128, as many down as there should be across: right wherever C is about square.
// note: right where M = K; leaves C unwritten at 300x3x20
// class: FP32
#include <algorithm>
#include <cstddef>

static int tiles(int size) {
    return (size + 127) / 128;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < std::min(M, tiles(K) * 128); ++i) {
        for (int k = 0; k < std::min(K, tiles(M) * 128); ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
