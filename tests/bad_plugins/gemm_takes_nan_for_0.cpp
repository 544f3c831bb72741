// expect: wrong
// fault: contract: solve_gemm asks whether beta is above or below 0, and takes NaN for 0.
// options: --op gemm:NT --batch 40
// note: beta nan
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (!(g.beta > 0 || g.beta < 0)) g.beta = 0;
    return multiply_all(&g);
}
