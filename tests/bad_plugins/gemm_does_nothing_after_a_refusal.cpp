// expect: wrong
// fault: contract: solve_gemm keeps that it has refused a call, and does nothing in the next one.
// options: --op gemm:NT --batch 40
// note: after a call that it has refused
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    static bool has_refused = false;
    const int code = refusal_of(given);
    if (code == SOLVE_OK && has_refused) return has_refused = false, SOLVE_OK;
    has_refused = code != SOLVE_OK;
    return has_refused ? code : multiply_all(given);
}
