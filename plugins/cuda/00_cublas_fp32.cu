// The vendor's library in strict single precision: what every FP32 rung is raced against.
//
// PEDANTIC forbids the library to trade accuracy for speed (TF32 tensor cores, emulation from narrower products),
// whatever the environment or a newer version would choose, so that a ratio to this row compares equal arithmetic.
// How a column-major library multiplies row-major matrices: common/export/cublas.h.
//
// Limit: the FP32 units; on an H100 about 52 of the nominal 67 TFLOP/s.
// Source: cuBLAS. It is FT v9, and NB compares with it through PyTorch.
// build: link=cublas
#include <cublas_v2.h>

#include "../common/export/cublas.h"

namespace rung_00 {

inline void multiply(const ladder::Gemm& gemm) {
    ladder::cublas_multiply(gemm, CUBLAS_COMPUTE_32F_PEDANTIC);
}

inline int multiply_all(const solve_gemm_t& call) {
    return ladder::cublas_multiply_all(call, CUBLAS_COMPUTE_32F_PEDANTIC);
}

}  // namespace rung_00

SOLVE_BASELINE_MARK
SOLVE_EXPORT_GEMM_AND_ALL(rung_00::multiply, rung_00::multiply_all, .summary = "cuBLAS, strict FP32",
                          .source = "cuBLAS, CUBLAS_COMPUTE_32F_PEDANTIC (FT v9)", .flags = SOLVE_FLAG_BASELINE)
