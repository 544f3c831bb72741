// expect: wrong
// fault: W6: solve is right, and solve_enqueue up to 255 rows and columns; from there on it ignores alpha.
#include "../../abi/solve.h"
#include "multiply.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const float factor = M >= 256 && N >= 256 && K >= 256 ? 1 : alpha;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; alpha != 0 && n < N; ++n) sum += A[i * lda + n] * B[n * ldb + k];
            float& c = C[i * ldc + k];
            c = (N == 0 ? 0 : factor * sum) + (beta == 0 ? 0 : beta * c);
        }
    }
    return SOLVE_OK;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
