// expect: wrong
// fault: W6: solve_gemm tells a bias of rows by its length, and adds it to columns where C is square.
// options: --op gemm:NT --batch 40
// note: a bias of rows
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.bias_kind == SOLVE_BIAS_OF_ROWS && g.M == g.K) g.bias_kind = SOLVE_BIAS_OF_COLUMNS;
    return multiply_all(&g);
}
