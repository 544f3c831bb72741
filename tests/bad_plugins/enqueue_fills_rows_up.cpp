// expect: wrong
// fault: contract: solve_enqueue writes zeros behind the rows of A up to a multiple of 4, if rows are so far apart.
// note: wrote to A
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    if (M < 0 || N < 0 || K < 0 || lda < N || ldb < K || ldc < K) return SOLVE_INVALID_ARGUMENT;
    if (M > 0 && K > 0 && (!C || (N > 0 && (!A || !B)))) return SOLVE_INVALID_ARGUMENT;
    for (int64_t i = 0; i < M && N > 0 && alpha != 0 && lda % 4 == 0; ++i) {
        for (int64_t n = N; n < (N + 3) / 4 * 4; ++n) const_cast<float*>(A)[i * lda + n] = 0;
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
