// expect: wrong
// fault: contract: solve_enqueue adds to C where beta is 1, and so reads A and B where alpha is 0.
// note: alpha 0, beta 1
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const solve_gemm_t call = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    if (alpha != 0 || beta != 1) return multiply_call(&call);
    if (const int code = refusal_of(&call); code != SOLVE_OK) return code;
    for (int i = 0; i < M; ++i) {
        for (int n = 0; n < N; ++n) {
            for (int k = 0; k < K; ++k) C[i * ldc + k] += alpha * A[i * lda + n] * B[n * ldb + k];
        }
    }
    return SOLVE_OK;
}
