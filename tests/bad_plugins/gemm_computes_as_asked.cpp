// expect: ok
// fault: control: solve_gemm rounds to BF16 where the call says that this will do.
// options: --op gemm:NT --batch 40
#include "complete_gemm.h"
#include "rounding.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    if (given->accuracy != SOLVE_ARITHMETIC_BF16) return multiply_all(given);
    solve_gemm_t g = *given;
    if (g.N == 0) g.alpha = 0;
    for (int64_t p = 0; p < g.batch; ++p) {
        multiply_one(&g, p, g.transpose_b, [](float x) { return to_bits(x, 8); });
        add_bias(&g, p);
    }
    return SOLVE_OK;
}
