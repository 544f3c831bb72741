// expect: wrong
// fault: contract: solve_enqueue scales all that lies from the first to the last element of C, between its rows too.
// note: wrote past the end of row
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t call = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    const int code = refusal_of(&call);
    if (code != SOLVE_OK || M == 0 || K == 0) return code;
    if (beta == 0 || beta == 1) return multiply_all(&call);
    for (int64_t i = 0; i < (M - 1) * ldc + K; ++i) C[i] *= beta;
    call.beta = 1;
    return multiply_all(&call);
}
