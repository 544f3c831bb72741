// expect: wrong
// fault: W6: solve_gemm finds B by its array of pointers only if A has one too.
// options: --op gemm:NT --batch 40
// note: arrays of pointers to B
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    solve_gemm_t g = *given;
    if (!g.A_array && g.B) g.B_array = nullptr;
    return multiply_all(&g);
}
