// The vendor's library in strict single precision: what every FP32 rung is raced against.
//
// PEDANTIC is the point: it forbids the library to trade accuracy for speed (TF32 tensor cores, emulation from
// narrower products), whatever the environment or a newer version would choose, so a ratio to this row compares equal
// arithmetic. How a column-major library multiplies row-major matrices: common/cublas.h.
//
// Limit: the FP32 units; on an H100 about 52 of the nominal 67 TFLOP/s.
// Source: cuBLAS. An article's version 9; a notebook compares with it through PyTorch.
#include <cublas_v2.h>

#include "../common/export/cublas.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (!ladder::begin(A, B, C, M, N, K)) return;
    ladder::cublas_multiply(A, B, C, M, N, K, CUBLAS_COMPUTE_32F_PEDANTIC);
    ladder::finish();
}

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* stream) {
    const auto cuda_stream = static_cast<cudaStream_t>(stream);
    return ladder::enqueue({A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, cuda_stream}, 50,
                           [](const ladder::Gemm& gemm) { ladder::cublas_enqueue(gemm, CUBLAS_COMPUTE_32F_PEDANTIC); });
}

SOLVE_BASELINE_MARK
SOLVE_DESCRIBE(.summary = "cuBLAS, strict FP32", .source = "cuBLAS, CUBLAS_COMPUTE_32F_PEDANTIC",
               .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE, .flags = SOLVE_FLAG_BASELINE)
