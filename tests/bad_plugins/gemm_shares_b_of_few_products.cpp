// expect: wrong
// fault: W6: solve_gemm takes a stride_b of 0 for dense matrices where there are 64 products or more.
// options: --op gemm:NT --batch 40
// note: 70 products with a shared B
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.batch >= 64 && g.stride_b == 0) g.stride_b = (int64_t)g.N * g.K;
    return multiply_all(&g);
}
