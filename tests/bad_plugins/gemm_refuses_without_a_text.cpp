// expect: wrong
// fault: contract: Has a solve_last_error, which has no text for what solve_gemm refuses.
// options: --op gemm:NT --batch 40
// note: and solve_last_error has no text
#include "complete_gemm.h"

extern "C" const char* solve_last_error() {
    return nullptr;
}

extern "C" int solve_gemm(const solve_gemm_t* given) {
    return multiply_call(given);
}
