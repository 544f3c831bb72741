// expect: wrong
// fault: W6: solve_gemm has a way of its own for one column, which adds no bias.
// options: --op gemm:NT --batch 40
// note: x1, rows padded
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.K == 1) g.bias_kind = SOLVE_BIAS_NONE;
    return multiply_all(&g);
}
