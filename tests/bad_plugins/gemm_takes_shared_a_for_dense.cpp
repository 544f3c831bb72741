// expect: wrong
// fault: contract: solve_gemm takes a stride_a of 0 for dense matrices, not for a shared one.
// options: --op gemm:NT --batch 40
// note: with a shared A
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.stride_a == 0) g.stride_a = (g.transpose_a ? g.N : g.M) * g.lda;
    return multiply_all(&g);
}
