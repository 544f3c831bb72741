// expect: wrong
// fault: contract: solve_gemm refuses a batch whose rows alternate in memory, as those of attention do.
// options: --op gemm:NT --batch 40
// note: whose rows alternate: returned 1
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* g) {
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    const bool strided = g->batch > 1 && g->M > 0 && !g->C_array;
    if (strided && g->stride_c < (g->M - 1) * g->ldc + g->K) return SOLVE_INVALID_ARGUMENT;
    return multiply_all(g);
}
