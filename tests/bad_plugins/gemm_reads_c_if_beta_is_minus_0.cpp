// expect: wrong
// fault: W6: solve_gemm knows a beta of 0 by its bits, and so reads C where it is -0: NaN there spreads.
// options: --op gemm:NT --batch 40
// note: beta -0
#include <cmath>

#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.beta == 0 && std::signbit(g.beta)) g.beta = -0x1p-149f;  // is no 0, and changes no number
    return multiply_all(&g);
}
