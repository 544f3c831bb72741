// expect: wrong
// fault: W6: solve_enqueue multiplies an empty sum by alpha: NaN, in place of beta * C, if N is 0 and alpha infinite.
// note: alpha inf
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t g = solve_gemm_one();
    g.A = A, g.lda = lda, g.B = B, g.ldb = ldb, g.C = C, g.ldc = ldc;
    g.M = M, g.N = N, g.K = K, g.alpha = alpha, g.beta = beta;
    if (const int code = refusal_of(&g); code != SOLVE_OK) return code;
    multiply_one(&g, 0, SOLVE_N);
    return SOLVE_OK;
}
