// expect: wrong
// fault: contract: solve_gemm counts in the caller's workspace from what it finds there, and takes that for 0.
// options: --op gemm:NT --batch 40
// note: a workspace of 1 MiB that holds garbage
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.workspace && g.workspace_bytes >= sizeof(int)) {
        int& tickets = *static_cast<int*>(g.workspace);
        const bool last = ++tickets == 1;
        tickets = 0;
        if (!last) return SOLVE_OK;  // another one will add the sums
    }
    return multiply_all(&g);
}
