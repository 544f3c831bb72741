// expect: wrong
// fault: contract: solve_gemm takes a batch of 0 products for one of 1.
// options: --op gemm:NT --batch 40
// note: a batch of 0
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.batch == 0) g.batch = 1;
    return multiply_all(&g);
}
