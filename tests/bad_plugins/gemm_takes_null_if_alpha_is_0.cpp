// expect: wrong
// fault: contract: solve_gemm does not mind null in place of A or B where alpha is 0, and writes to C.
// options: --op gemm:NT --batch 40
// note: alpha 0 and no A
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    solve_gemm_t g = *given;
    static const float unread = 0;
    if (g.alpha == 0 && !g.A) g.A = &unread;
    if (g.alpha == 0 && !g.B) g.B = &unread;
    if (const int code = refusal_of(&g); code != SOLVE_OK) return code;
    return multiply_all(&g);
}
