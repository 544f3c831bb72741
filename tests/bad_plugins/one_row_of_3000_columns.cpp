// expect: limited
// fault: W8: One row of 2049 to 4096 columns is taken 32 columns at a time, and the remainder is not written.
// note: leaves C unwritten at 1x
// class: FP32
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const bool mistaken = M == 1 && K > 2048 && K <= 4096;
    if (!mistaken) return multiply(A, B, C, M, N, K);
    for (int first = 0; first + 32 < K; first += 32) {
        for (int k = first; k < first + 32; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[n] * B[(size_t)n * K + k];
            C[k] = sum;
        }
    }
}
