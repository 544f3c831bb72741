// expect: wrong
// fault: W6: solve is right, but solve_enqueue reads C though beta is 0: NaN there spreads.
#include <cstdint>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N && alpha != 0; ++n) sum += A[i * lda + n] * B[n * ldb + k];
            C[i * ldc + k] = alpha * sum + beta * C[i * ldc + k];
        }
    }
    return 0;
}
