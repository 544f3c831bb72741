// expect: wrong
// fault: W6: solve_gemm takes beta for 1, if it is not 0, where K and ldc are multiples of 4.
// options: --op gemm:NT --batch 40
// note: beta 0.75
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.K % 4 == 0 && g.ldc % 4 == 0 && g.beta != 0 && g.batch == 1) g.beta = 1;
    return multiply_all(&g);
}
