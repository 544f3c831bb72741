// The CPU's BLAS library: what the CPU plugins are raced against.
//
// cblas_sgemm knows row-major matrices, so nothing is swapped: its M, N, K are our M, K, N (the BLAS calls the
// contraction K). Sizes and leading dimensions fit its 32-bit integers because ours are int; the products of two of
// them, which may not, are formed inside the library with 64 bits. Its argument check refuses a leading dimension of
// 0, so empty matrices are settled before the call.
// Source: OpenBLAS (any library with a CBLAS interface will do).
#include <cblas.h>

#include "../common/host.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (!ladder::begin(A, B, C, M, N, K)) return;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, K, N, 1.0f, A, N, B, K, 0.0f, C, K);
}

SOLVE_BASELINE_MARK
SOLVE_DESCRIBE_HOST(.summary = "cblas_sgemm of the system's BLAS", .source = "OpenBLAS", .flags = SOLVE_FLAG_BASELINE)
