// expect: wrong
// fault: contract: solve_enqueue refuses blocks of one matrix, whose rows alternate, though none is in another.
// note: of blocks of one matrix
#include "complete_gemm.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const solve_gemm_t call = enqueued_call(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
    const auto overlap = [&](const float* X, int64_t ld, int rows) { return C < X + rows * ld && X < C + M * ldc; };
    const bool elements = refusal_of(&call) == SOLVE_OK && M > 0 && N > 0 && K > 0;
    if (elements && (overlap(A, lda, M) || overlap(B, ldb, N))) return SOLVE_INVALID_ARGUMENT;
    return multiply_call(&call);
}
