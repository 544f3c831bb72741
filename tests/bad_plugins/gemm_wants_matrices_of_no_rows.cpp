// expect: wrong
// fault: contract: solve_gemm refuses a null pointer to a matrix that has no elements.
// options: --op gemm:NT --batch 40
// note: neither A nor C returns 1
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (given && given->batch > 0 && !given->C && !given->C_array) return SOLVE_INVALID_ARGUMENT;
    return multiply_call(given);
}
