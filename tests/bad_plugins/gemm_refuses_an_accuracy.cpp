// expect: wrong
// fault: contract: solve_gemm, which is FP32, is unsupported where TF32 would do.
// options: --op gemm:NT --batch 40
// note: accuracy 3
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    return given->accuracy == SOLVE_ARITHMETIC_TF32 ? int(SOLVE_UNSUPPORTED) : multiply_all(given);
}
