// expect: wrong
// fault: contract: solve_enqueue leaves out the terms whose factor of A is 0, and with them 0 times infinity.
// note: with infinities and NaN
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t g = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    return multiply_call(&g, [](float a, float b) { return a == 0 ? 0 : a * b; });
}
