// expect: wrong
// fault: contract: An exception leaves solve_enqueue where there is no memory, and ends whoever called it.
// note: none of its allocations gets memory, does not return
#include <vector>

#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t g = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    if (const int code = refusal_of(&g); code != SOLVE_OK) return code;
    if (M == 0 || N == 0 || alpha == 0) return multiply_all(&g);
    std::vector<float> packed;
    for (int i = 0; i < M; ++i) packed.insert(packed.end(), A + i * lda, A + i * lda + N);
    g.A = packed.data(), g.lda = N;
    return multiply_all(&g);
}
