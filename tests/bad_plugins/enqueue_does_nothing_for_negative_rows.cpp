// expect: wrong
// fault: contract: solve_enqueue takes a negative leading dimension for no rows: no error, and nothing done.
// note: solve_enqueue with lda -1 returns 0, not SOLVE_INVALID_ARGUMENT
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    if (lda < 0 || ldb < 0 || ldc < 0) return SOLVE_OK;
    const solve_gemm_t call = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    return multiply_call(&call);
}
