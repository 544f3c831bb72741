// expect: wrong
// fault: W6: solve_gemm takes alpha for 1 where there are more than 10^7 multiply-adds.
// options: --op gemm:NT --batch 40
// note: 262x259x261
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if ((double)g.M * g.N * g.K > 1e7) g.alpha = 1;
    return multiply_all(&g);
}
