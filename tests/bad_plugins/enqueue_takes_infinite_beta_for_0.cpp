// expect: wrong
// fault: W6: solve_enqueue scales C only by a beta that is a finite number.
// note: beta -inf
#include <cmath>

#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const float taken = std::isinf(beta) ? 0 : beta;
    const solve_gemm_t call = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, taken);
    return multiply_call(&call);
}
