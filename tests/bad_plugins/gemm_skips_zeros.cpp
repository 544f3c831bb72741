// expect: wrong
// fault: W2: solve_gemm leaves out the terms whose factor of A is 0, and with them 0 times infinity
// options: --op gemm:NT --batch 40
// note: with infinities and NaN
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* g) {
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    for (int64_t p = 0; p < g->batch; ++p) {
        const float* const A = g->A_array ? g->A_array[p] : g->A + p * g->stride_a;
        const float* const B = g->B_array ? g->B_array[p] : g->B + p * g->stride_b;
        float* const C = g->C_array ? g->C_array[p] : g->C + p * g->stride_c;
        for (int i = 0; i < g->M; ++i) {
            for (int k = 0; k < g->K; ++k) {
                float sum = 0;
                for (int n = 0; n < g->N && g->alpha != 0; ++n) {
                    const float a = element_of(A, g->lda, g->transpose_a, i, n);
                    if (a != 0) sum += a * element_of(B, g->ldb, g->transpose_b, n, k);
                }
                float& c = C[i * g->ldc + k];
                c = (g->N > 0 ? g->alpha * sum : 0) + (g->beta != 0 ? g->beta * c : 0);
            }
        }
        add_bias(g, p);
    }
    return SOLVE_OK;
}
