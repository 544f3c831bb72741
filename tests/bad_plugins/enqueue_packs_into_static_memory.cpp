// expect: wrong
// fault: contract: solve_enqueue packs A into memory that all calls share; solve does not.
// note: right alone, but not
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t g = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    static float packed[1 << 20];
    if (const int code = refusal_of(&g); code != SOLVE_OK) return code;
    if (int64_t{M} * N > 1 << 20 || alpha == 0) return multiply_all(&g);
    for (int i = 0; i < M; ++i) {
        for (int n = 0; n < N; ++n) packed[(int64_t)i * N + n] = A[i * lda + n];
    }
    g.A = packed, g.lda = N;
    return multiply_all(&g);
}
