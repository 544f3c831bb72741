// expect: wrong
// fault: W6: solve_enqueue knows a beta of 0 by its bits, and so reads C where it is -0: NaN there spreads.
// note: beta -0
#include <cmath>

#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    if (beta == 0 && std::signbit(beta)) beta = -0x1p-149f;  // is no 0, and changes no number
    const solve_gemm_t g = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    return multiply_call(&g);
}
