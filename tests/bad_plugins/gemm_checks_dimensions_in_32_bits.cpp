// expect: wrong
// fault: contract: solve_gemm checks 32 bits of a leading dimension, which may be good where it is negative.
// options: --op gemm:NT --batch 40
// note: not SOLVE_INVALID_ARGUMENT
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (given == nullptr || given->size < sizeof(solve_gemm_t)) return SOLVE_INVALID_ARGUMENT;
    int64_t solve_gemm_t::*const dimensions[] = {&solve_gemm_t::lda, &solve_gemm_t::ldb, &solve_gemm_t::ldc};
    solve_gemm_t narrow = *given;
    bool negative = false;
    for (const auto dimension : dimensions) {
        negative = negative || given->*dimension < 0;
        if (given->*dimension < 0) narrow.*dimension = static_cast<int32_t>(given->*dimension);
    }
    if (!negative) return multiply_call(given);
    narrow.size = sizeof(narrow);
    const int code = refusal_of(&narrow);
    return code == SOLVE_OK ? SOLVE_DEVICE_ERROR : code;  // what a write so far away comes to
}
