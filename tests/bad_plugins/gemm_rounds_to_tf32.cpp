// expect: wrong
// fault: W1: solve is FP32, as is claimed; solve_gemm rounds its operands to TF32.
// options: --op gemm:NT --batch 40
// note: claims FP32, measures TF32-grade
// class: TF32-grade
#include "gemm.h"
#include "multiply.h"
#include "rounding.h"

extern "C" const solve_info_t* solve_info(void) {
    static const solve_info_t info = {sizeof(info),
                                      SOLVE_ABI_VERSION,
                                      nullptr,
                                      "claims FP32",
                                      "none",
                                      SOLVE_MEMORY_HOST,
                                      SOLVE_ARITHMETIC_FP32,
                                      0,
                                      SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_GEMM,
                                      0};
    return &info;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}

extern "C" int solve_gemm(const solve_gemm_t* g) {
    for (int64_t p = 0; p < g->batch; ++p) multiply_one(g, p, g->transpose_b, [](float x) { return to_bits(x, 11); });
    return SOLVE_OK;
}
