// expect: limited
// fault: W8: Sums 16 terms at a time, and loses the rest of a long sum if 8 terms are left.
// note: wrong at 24x40x56
// class: FP32
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const int steps = N / 16 * 16, terms = N > 32 && N % 16 == 8 ? steps : N;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < terms; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
