// expect: wrong
// fault: contract: solve_gemm makes the first product before it asks how many there are.
// options: --op gemm:NT --batch 40
// note: a batch of 0
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.alpha != 0 && g.A && g.B && g.C) g.batch = g.batch == 0 ? 1 : g.batch;
    return multiply_all(&g);
}
