// expect: wrong
// fault: contract: solve_gemm packs A into the caller's workspace, however small that is.
// options: --op gemm:NT --batch 40
// note: with a workspace of 256 bytes
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* g) {
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    if (!g->workspace || g->batch != 1 || g->A_array) return multiply_all(g);
    float* const packed = static_cast<float*>(g->workspace);
    for (int i = 0; i < g->M; ++i) {
        for (int n = 0; n < g->N; ++n) {
            packed[static_cast<int64_t>(i) * g->N + n] = element_of(g->A, g->lda, g->transpose_a, i, n);
        }
    }
    solve_gemm_t of_packed = *g;
    of_packed.A = packed, of_packed.lda = g->N, of_packed.transpose_a = SOLVE_N;
    return multiply_all(&of_packed);
}
