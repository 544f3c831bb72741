// expect: wrong
// fault: contract: solve_gemm is right at the call asked for, but adds no bias, and does not say that it cannot.
// options: --op gemm:NT --batch 40
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}

static float at(const float* X, int64_t ld, uint32_t transpose, int64_t row, int64_t col) {
    return transpose ? X[col * ld + row] : X[row * ld + col];
}

extern "C" int solve_gemm(const solve_gemm_t* g) {
    for (int64_t p = 0; p < g->batch; ++p) {
        const float* const A = g->A_array ? g->A_array[p] : g->A + p * g->stride_a;
        const float* const B = g->B_array ? g->B_array[p] : g->B + p * g->stride_b;
        float* const C = g->C_array ? g->C_array[p] : g->C + p * g->stride_c;
        for (int i = 0; i < g->M; ++i) {
            for (int k = 0; k < g->K; ++k) {
                float sum = 0;
                for (int n = 0; n < g->N && g->alpha != 0; ++n) {
                    sum += at(A, g->lda, g->transpose_a, i, n) * at(B, g->ldb, g->transpose_b, n, k);
                }
                C[i * g->ldc + k] = g->alpha * sum + (g->beta != 0 ? g->beta * C[i * g->ldc + k] : 0);
            }
        }
    }
    return SOLVE_OK;
}
