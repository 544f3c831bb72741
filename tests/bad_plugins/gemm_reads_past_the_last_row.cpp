// expect: wrong
// fault: W13: solve_gemm reads the rows in memory of a transposed A as far as lda, also the last one.
// options: --op gemm:NT --batch 40
// note: past the end of A
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* g) {
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    if (g->transpose_a && g->batch > 0 && g->M > 0 && g->K > 0 && g->alpha != 0 && g->A && !g->A_array) {
        volatile float unused = 0;
        for (int64_t at = 0; at < g->N * g->lda; ++at) unused = unused + g->A[at + (g->batch - 1) * g->stride_a];
    }
    return multiply_all(g);
}
