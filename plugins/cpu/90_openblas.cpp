// The CPU's BLAS library: what the CPU plugins are raced against.
//
// cblas_sgemm knows row-major matrices, so nothing is swapped: its M, N, K are our M, K, N (the BLAS calls the
// contraction K). Sizes fit its 32-bit integers because ours are int, and so do solve's leading dimensions; those of
// solve_enqueue may not, and are refused then. The products of two of them are formed inside the library with 64 bits.
// Its argument check refuses a leading dimension of 0, so empty matrices are settled before the call.
// Source: OpenBLAS (any library with a CBLAS interface will do).
// build: link=openblas
#include <cblas.h>

#include <climits>

#include "../common/export/host.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (!ladder::begin(A, B, C, M, N, K)) return;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, K, N, 1.0f, A, N, B, K, 0.0f, C, K);
}

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    ladder::clear_error();
    if (!ladder::valid(A, B, C, M, N, K) || !ladder::valid_leading(lda, ldb, ldc, M, N, K)) {
        return SOLVE_INVALID_ARGUMENT;
    }
    if (M == 0 || K == 0) return SOLVE_OK;
    if (N == 0 || alpha == 0.0f) {
        for (int i = 0; i < M; ++i) {
            for (int j = 0; j < K; ++j) C[i * ldc + j] = beta == 0.0f ? 0.0f : beta * C[i * ldc + j];
        }
        return SOLVE_OK;
    }
    if (std::max({lda, ldb, ldc}) > INT_MAX) {
        ladder::fail("a leading dimension is more than %d", INT_MAX);
        return SOLVE_UNSUPPORTED;
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, K, N, alpha, A, lda, B, ldb, beta, C, ldc);
    return SOLVE_OK;
}

SOLVE_BASELINE_MARK
SOLVE_DESCRIBE(.summary = "cblas_sgemm of the system's BLAS", .source = "OpenBLAS", .flags = SOLVE_FLAG_BASELINE,
               .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE)
