// expect: wrong
// fault: contract: solve_gemm is right at the call asked for, but adds no bias, and does not say that it cannot.
// options: --op gemm:NT --batch 40
#include "gemm.h"
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}

extern "C" int solve_gemm(const solve_gemm_t* g) {
    for (int64_t p = 0; p < g->batch; ++p) multiply_one(g, p, g->transpose_b);
    return SOLVE_OK;
}
