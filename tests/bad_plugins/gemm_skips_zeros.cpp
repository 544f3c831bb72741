// expect: wrong
// fault: W2: solve_gemm leaves out the terms whose factor of A is 0, and with them 0 times infinity
// options: --op gemm:NT --batch 40
// note: with infinities and NaN
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* g) {
    return multiply_call(g, [](float a, float b) { return a != 0 ? a * b : 0; });
}
