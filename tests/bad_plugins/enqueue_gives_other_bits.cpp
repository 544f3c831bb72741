// expect: wrong
// fault: W16: solve_enqueue adds from the other end of the contraction at every second call, if that is long.
// note: equal calls gave different bits
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t g = solve_gemm_one();
    g.A = A, g.lda = lda, g.B = B, g.ldb = ldb, g.C = C, g.ldc = ldc;
    g.M = M, g.N = N, g.K = K, g.alpha = alpha, g.beta = beta;
    if (const int code = refusal_of(&g); code != SOLVE_OK) return code;
    static thread_local int calls = 0;
    if (N <= 256 || ++calls % 2 == 0) return multiply_all(&g);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = N - 1; n >= 0 && alpha != 0; --n) sum += A[i * lda + n] * B[n * ldb + k];
            float& c = C[i * ldc + k];
            c = alpha * sum + (beta != 0 ? beta * c : 0);
        }
    }
    return SOLVE_OK;
}
