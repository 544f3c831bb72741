// expect: wrong
// fault: W6: One product of a batch, the last but one, takes B as if it were not transposed.
// options: --op gemm:NT --batch 40
#include "gemm.h"
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}

extern "C" int solve_gemm(const solve_gemm_t* g) {
    for (int64_t p = 0; p < g->batch; ++p) multiply_one(g, p, p == g->batch - 2 ? 0 : g->transpose_b);
    return SOLVE_OK;
}
