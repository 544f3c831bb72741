// expect: wrong
// fault: contract: solve_enqueue returns SOLVE_OK where there is no memory for its copy of B, and leaves C as it is.
// note: none of its allocations gets memory, returns SOLVE_OK
#include <cstdlib>

#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t g = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    if (const int code = refusal_of(&g); code != SOLVE_OK) return code;
    if (N == 0 || K == 0 || alpha == 0) return multiply_all(&g);
    float* const packed = static_cast<float*>(std::malloc(sizeof(float) * N * K));
    if (!packed) return SOLVE_OK;
    for (int n = 0; n < N; ++n) {
        for (int k = 0; k < K; ++k) packed[(int64_t)n * K + k] = B[n * ldb + k];
    }
    g.B = packed, g.ldb = K;
    const int code = multiply_all(&g);
    std::free(packed);
    return code;
}
