// expect: suspicious
// fault: contract: solve_enqueue leaks as much as a row of A a call; solve does not.
// note: of host memory
#include <cstdlib>

#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t g = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    if (auto* const row = static_cast<volatile float*>(std::calloc(N > 0 ? N : 1, sizeof(float)))) row[0] = 1;
    return multiply_call(&g);
}
