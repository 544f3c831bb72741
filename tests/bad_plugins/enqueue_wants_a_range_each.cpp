// expect: wrong
// fault: contract: solve_enqueue refuses blocks of one matrix, whose rows alternate, though none is in another.
// note: of blocks of one matrix
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const auto overlap = [&](const float* X, int64_t ld, int rows) { return C < X + rows * ld && X < C + M * ldc; };
    if (M < 0 || N < 0 || K < 0 || lda < N || ldb < K || ldc < K) return SOLVE_INVALID_ARGUMENT;
    if (M > 0 && K > 0 && (!C || (N > 0 && (!A || !B || overlap(A, lda, M) || overlap(B, ldb, N))))) {
        return SOLVE_INVALID_ARGUMENT;
    }
    for (int64_t i = 0; i < M; ++i) {
        for (int64_t k = 0; k < K; ++k) {
            float sum = 0;
            for (int64_t n = 0; n < N && alpha != 0; ++n) sum += A[i * lda + n] * B[n * ldb + k];
            C[i * ldc + k] = (N > 0 && alpha != 0 ? alpha * sum : 0) + (beta != 0 ? beta * C[i * ldc + k] : 0);
        }
    }
    return SOLVE_OK;
}
