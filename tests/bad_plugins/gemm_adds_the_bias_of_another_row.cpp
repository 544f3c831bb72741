// expect: wrong
// fault: W5: solve_gemm shares the rows of a large product out in slabs, and counts those of the bias within a slab.
// options: --op gemm:NT --batch 40
// note: a bias of rows
#include <algorithm>

#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    constexpr int kSlab = 96;
    if (given->batch != 1 || given->bias_kind != SOLVE_BIAS_OF_ROWS) return multiply_all(given);
    for (int row = 0; row < given->M; row += kSlab) {
        solve_gemm_t g = *given;
        g.M = std::min(given->M - row, kSlab);
        g.A += g.transpose_a ? row : row * g.lda;
        g.C += row * g.ldc;
        multiply_all(&g);
    }
    return SOLVE_OK;
}
