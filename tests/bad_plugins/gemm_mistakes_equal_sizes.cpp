// expect: wrong
// fault: W6: solve_gemm takes a square B as not transposed where M is another size.
// options: --op gemm:NT --batch 40
// note: 40x24x24
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.N == g.K && g.M != g.N && g.batch == 1) g.transpose_b = SOLVE_N;
    return multiply_all(&g);
}
