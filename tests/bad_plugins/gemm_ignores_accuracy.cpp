// expect: wrong
// fault: contract: solve_gemm rounds to TF32, as is claimed, also where the call asks for FP32.
// options: --op gemm:NT --batch 40
// note: accuracy 1
#include "complete_gemm.h"
#include "rounding.h"

extern "C" const solve_info_t* solve_info(void) {
    static const solve_info_t info = {sizeof(info),
                                      SOLVE_ABI_VERSION,
                                      nullptr,
                                      "claims TF32",
                                      "none",
                                      SOLVE_MEMORY_HOST,
                                      SOLVE_ARITHMETIC_TF32,
                                      0,
                                      SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_GEMM,
                                      0};
    return &info;
}

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (g.N == 0) g.alpha = 0;
    for (int64_t p = 0; p < g.batch; ++p) {
        multiply_one(&g, p, g.transpose_b, [](float x) { return to_bits(x, 11); });
        add_bias(&g, p);
    }
    return SOLVE_OK;
}
