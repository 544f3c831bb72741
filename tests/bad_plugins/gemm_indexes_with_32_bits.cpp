// expect: wrong
// fault: W8: solve_gemm counts the elements of A with 32 bits: wrong where the leading dimension is large.
// options: --op gemm:NT --batch 40
// note: leading dimension of A 67108880
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    if (const int code = refusal_of(given); code != SOLVE_OK) return code;
    const int rows = given->transpose_a ? given->N : given->M;
    if (rows == 0 || static_cast<uint64_t>(rows - 1) * given->lda <= INT32_MAX) return multiply_all(given);
    solve_gemm_t g = *given;
    g.lda = 0;  // what is left of an index that has passed its end is another element
    return multiply_all(&g);
}
