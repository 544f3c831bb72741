// The vendor's library on the tensor cores: operands rounded to TF32, sums in FP32.
//
// Against 00: one argument. TF32 keeps FP32's exponent and 11 of its 24 significant bits, so each product has a
// relative error of about 2^-11, not 2^-24, and the tensor cores run it some seven times faster on an H100. TF32
// kernels are raced against this row; an FP32 kernel must not be ranked beside it.
//
// Limit: tensor cores and, below about 2048, the launch and the tail.
// Source: cuBLAS. (PyTorch's allow_tf32 selects the same.)
// build: least=80 link=cublas
#include <cublas_v2.h>

#include "../common/export/cublas.h"

namespace rung_01 {

inline void multiply(const ladder::Gemm& gemm) {
    ladder::cublas_multiply(gemm, CUBLAS_COMPUTE_32F_FAST_TF32);
}

inline int multiply_all(const solve_gemm_t& call) {
    return ladder::cublas_multiply_all(call, CUBLAS_COMPUTE_32F_FAST_TF32);
}

}  // namespace rung_01

// No SOLVE_BASELINE_MARK: that names the one row that all others are raced against.
SOLVE_EXPORT_GEMM_AND_ALL(rung_01::multiply, rung_01::multiply_all, .summary = "cuBLAS, TF32 tensor cores",
                          .source = "cuBLAS, CUBLAS_COMPUTE_32F_FAST_TF32", .arithmetic = SOLVE_ARITHMETIC_TF32,
                          .minimum_compute_capability = 80, .flags = SOLVE_FLAG_BASELINE)
