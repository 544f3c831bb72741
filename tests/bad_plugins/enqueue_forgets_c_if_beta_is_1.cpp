// expect: wrong
// fault: contract: solve_enqueue has a way of its own for alpha 1 and beta 1, which forgets C.
// note: beta 1
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t g = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    if (alpha == 1 && beta == 1) g.beta = 0;
    return multiply_call(&g);
}
