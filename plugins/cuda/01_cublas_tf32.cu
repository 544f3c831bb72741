// The vendor's library on the tensor cores: operands rounded to TF32, sums in FP32.
//
// Against 00: one argument. TF32 keeps FP32's exponent and 11 of its 24 significant bits, so each product carries a
// relative error of about 2^-11, not 2^-24, and the tensor cores run it some seven times faster on an H100. It is the
// row that TF32 kernels are raced against; an FP32 kernel must not be ranked beside it.
//
// Limit: tensor cores and, below about 2048, the launch and the last wave of tiles.
// Source: cuBLAS. (PyTorch's allow_tf32 selects the same.)
#include <cublas_v2.h>

#include "../common/export/cublas.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (!ladder::begin(A, B, C, M, N, K)) return;
    ladder::cublas_multiply(A, B, C, M, N, K, CUBLAS_COMPUTE_32F_FAST_TF32);
    ladder::finish();
}

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* stream) {
    const auto cuda_stream = static_cast<cudaStream_t>(stream);
    return ladder::enqueue(
        {A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, cuda_stream}, 80,
        [](const ladder::Gemm& gemm) { ladder::cublas_enqueue(gemm, CUBLAS_COMPUTE_32F_FAST_TF32); });
}

// No SOLVE_BASELINE_MARK: that names the one row that all others are raced against.
SOLVE_DESCRIBE(.summary = "cuBLAS, TF32 tensor cores", .source = "cuBLAS, CUBLAS_COMPUTE_32F_FAST_TF32",
               .arithmetic = SOLVE_ARITHMETIC_TF32, .minimum_compute_capability = 80,
               .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE, .flags = SOLVE_FLAG_BASELINE)
