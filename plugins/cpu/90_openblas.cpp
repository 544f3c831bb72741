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

namespace cpu_90 {

inline int multiply_all(const solve_gemm_t& call) {
    if (std::max({call.lda, call.ldb, call.ldc}) > INT_MAX) {
        return ladder::fail("a leading dimension is more than %d", INT_MAX), SOLVE_UNSUPPORTED;
    }
    const auto operation = [](uint32_t transpose) { return transpose == SOLVE_T ? CblasTrans : CblasNoTrans; };
    const bool bias = call.bias_kind != SOLVE_BIAS_NONE;  // the library has none: it goes into C before
    for (int64_t i = 0; i < call.batch; ++i) {
        if (bias) ladder::scale_and_bias(call, i);
        cblas_sgemm(CblasRowMajor, operation(call.transpose_a), operation(call.transpose_b), call.M, call.K, call.N,
                    call.alpha, ladder::a_of(call, i), call.lda, ladder::b_of(call, i), call.ldb,
                    bias ? 1.0f : call.beta, ladder::c_of(call, i), call.ldc);
    }
    return SOLVE_OK;
}

}  // namespace cpu_90

extern "C" int solve_gemm(const solve_gemm_t* call) {
    return ladder::execute_call(call, SOLVE_ARITHMETIC_FP32, cpu_90::multiply_all);
}

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    solve_gemm_t call = solve_gemm_one();
    call.M = M, call.N = N, call.K = K;
    call.A = A, call.lda = lda;
    call.B = B, call.ldb = ldb;
    call.C = C, call.ldc = ldc;
    call.alpha = alpha, call.beta = beta;
    return solve_gemm(&call);
}

SOLVE_BASELINE_MARK
SOLVE_DESCRIBE(.summary = "cblas_sgemm of the system's BLAS", .source = "OpenBLAS", .flags = SOLVE_FLAG_BASELINE,
               .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE | SOLVE_ENTRY_GEMM)
