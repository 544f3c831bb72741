// expect: wrong
// fault: W6: solve_enqueue has a way of its own for one row, which takes beta for 0.
// note: solve_enqueue, 1x
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const solve_gemm_t call = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, M == 1 ? 0 : beta);
    return multiply_call(&call);
}
