// expect: wrong
// fault: W5: solve_gemm takes 65536 rows of C at a time, and finds those of a transposed A as if it were not.
// options: --op gemm:NT --batch 40
// note: TN, 65601x3x2
#include <algorithm>

#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    constexpr int kSlab = 65536;
    if (given->M <= kSlab || given->batch != 1 || given->A_array || given->C_array || given->bias_kind) {
        return multiply_all(given);
    }
    for (int row = 0; row < given->M; row += kSlab) {
        solve_gemm_t g = *given;
        g.M = std::min(given->M - row, kSlab);
        // Of the rows of op(A); modulo what A holds, so that nothing is read past it.
        g.A += row * g.lda % (given->transpose_a ? kSlab / 2 : INT64_MAX);
        g.C += row * g.ldc;
        multiply_all(&g);
    }
    return SOLVE_OK;
}
