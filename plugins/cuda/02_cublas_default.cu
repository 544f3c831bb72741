// The vendor's library as most programs call it: FP32, and the library chooses.
//
// Against 00: CUBLAS_COMPUTE_32F, not ..._PEDANTIC. The environment or a newer version may then choose other arithmetic
// than FP32's, and the two modes choose among different kernels, so that now this one and now that is the faster.
// Whoever is ahead of the vendor is ahead of both.
//
// Limit: as for 00.
// Source: cuBLAS. (PyTorch calls it in this mode, unless allow_tf32 is set.)
// build: link=cublas
#include <cublas_v2.h>

#include "../common/export/cublas.h"

namespace rung_02 {

inline void multiply(const ladder::Gemm& gemm) {
    ladder::cublas_multiply(gemm, CUBLAS_COMPUTE_32F);
}

inline int multiply_all(const solve_gemm_t& call) {
    return ladder::cublas_multiply_all(call, CUBLAS_COMPUTE_32F);
}

}  // namespace rung_02

SOLVE_EXPORT_GEMM_AND_ALL(rung_02::multiply, rung_02::multiply_all, .summary = "cuBLAS, FP32, its default mode",
                          .source = "cuBLAS, CUBLAS_COMPUTE_32F", .flags = SOLVE_FLAG_BASELINE)
