// expect: wrong
// fault: contract: solve_gemm takes a longer struct for its own, and does not look at the further bytes.
// options: --op gemm:NT --batch 40
// note: a longer struct
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* g) {
    solve_gemm_t known = *g;
    if (known.size > sizeof(known)) known.size = sizeof(known);
    const int code = refusal_of(&known);
    return code == SOLVE_OK ? multiply_all(&known) : code;
}
