// expect: wrong
// fault: W8: solve_gemm keeps the strides of A and B in 32 bits.
// options: --op gemm:NT --batch 40
// note: stride of A 4294967312
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    g.stride_a = static_cast<uint32_t>(g.stride_a), g.stride_b = static_cast<uint32_t>(g.stride_b);
    return multiply_all(&g);
}
