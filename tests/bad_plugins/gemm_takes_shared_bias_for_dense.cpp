// expect: wrong
// fault: contract: solve_gemm takes a stride_bias of 0 for dense biases, not for a shared one.
// options: --op gemm:NT --batch 40
// note: with a shared bias
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.stride_bias == 0) g.stride_bias = g.bias_kind == SOLVE_BIAS_OF_ROWS ? g.M : g.K;
    return multiply_all(&g);
}
