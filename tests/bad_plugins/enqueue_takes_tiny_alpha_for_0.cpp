// expect: wrong
// fault: W6: solve_enqueue takes an alpha below 10^-6 for 0.
// note: alpha 1e-09
#include <cmath>

#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const float taken = std::abs(alpha) < 1e-6f ? 0 : alpha;
    const solve_gemm_t call = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, taken, beta);
    return multiply_call(&call);
}
