// expect: wrong
// fault: contract: solve_gemm scales a batch of C in one go, with what lies between the products and their rows.
// options: --op gemm:NT --batch 40
// note: wrote past the end of a row of C, or between two products
#include "complete_gemm.h"

extern "C" int solve_gemm(const solve_gemm_t* given) {
    const int code = refusal_of(given);
    if (code != SOLVE_OK || given->batch == 0 || given->M == 0 || given->K == 0) return code;
    solve_gemm_t call = *given;
    if (call.C_array || call.beta == 0 || call.beta == 1) return multiply_all(&call);
    const int64_t end = (call.batch - 1) * call.stride_c + (call.M - 1) * call.ldc + call.K;
    if (call.stride_c < (call.M - 1) * call.ldc + call.K) return multiply_all(&call);  // rows that alternate
    for (int64_t i = 0; i < end; ++i) call.C[i] *= call.beta;
    call.beta = 1;
    return multiply_all(&call);
}
