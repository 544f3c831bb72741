// expect: wrong
// fault: contract: solve_gemm goes on to use a workspace that it was lent in an earlier call.
// options: --op gemm:NT --batch 40
// note: the workspace of an earlier call
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* g) {
    if (const int code = refusal_of(g); code != SOLVE_OK) return code;
    static thread_local float* lent = nullptr;
    if (g->workspace && g->workspace_bytes >= 1 << 20) lent = static_cast<float*>(g->workspace);
    const int code = multiply_all(g);
    if (lent) *lent = 1;
    return code;
}
