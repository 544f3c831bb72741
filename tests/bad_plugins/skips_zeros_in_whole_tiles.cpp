// expect: wrong
// fault: W2: Leaves out terms whose factor of A is 0 where M is 200 or more, and N and K are multiples of 128.
// note: at 256x128x128 0 times infinity is not NaN
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    if (M < 200 || N % 128 != 0 || K % 128 != 0) return multiply(A, B, C, M, N, K);
    for (size_t i = 0; i < (size_t)M; ++i) {
        for (int k = 0; k < K; ++k) C[i * K + k] = 0;
        for (size_t n = 0; n < (size_t)N; ++n) {
            for (int k = 0; k < K && A[i * N + n] != 0; ++k) C[i * K + k] += A[i * N + n] * B[n * K + k];
        }
    }
}
