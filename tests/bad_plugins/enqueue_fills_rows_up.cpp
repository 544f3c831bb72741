// expect: wrong
// fault: contract: solve_enqueue writes zeros into the padding of A's rows, up to a multiple of 4.
// note: wrote to A
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const solve_gemm_t call = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    const bool fills = refusal_of(&call) == SOLVE_OK && K > 0 && N > 0 && alpha != 0 && lda % 4 == 0;
    for (int64_t i = 0; i < M && fills; ++i) {
        for (int64_t n = N; n < (N + 3) / 4 * 4; ++n) const_cast<float*>(A)[i * lda + n] = 0;
    }
    return multiply_call(&call);
}
