// One call of cuBLAS as the program made it, and the same as a call of solve_gemm.
#pragma once

#include <cstdint>

#include "../solve.h"

namespace drop_in {

// By columns, as cuBLAS has it: C[m x n] = alpha * op(A) * op(B) + beta * C + bias, op(A) is m x k.
struct Call {
    const char* entry = "";  // the function of cuBLAS

    // Why cuBLAS has to do it, whatever its sizes; null if nothing speaks against us.
    const char* not_ours = nullptr;
    bool reads_factors = true;  // alpha and beta are in ordinary memory
    bool is_fp32 = true;        // what is not is none of our business: it is not even recorded
    bool is_pedantic = false;   // asks for plain FP32, whatever SGEMM_LADDER_ACCURACY says

    int transpose_a = 0, transpose_b = 0;  // cublasOperation_t
    int64_t m = 0, n = 0, k = 0;
    int64_t batch = 1;

    // A matrix, or the first of a batch; or an array of them in the GPU's memory.
    const float* A = nullptr;
    const float* B = nullptr;
    float* C = nullptr;
    const float* const* A_array = nullptr;
    const float* const* B_array = nullptr;
    float* const* C_array = nullptr;
    bool has_arrays = false;
    int64_t lda = 0, ldb = 0, ldc = 0;
    int64_t stride_a = 0, stride_b = 0, stride_c = 0;

    const float* alpha = nullptr;  // in the program's own memory
    const float* beta = nullptr;
    const float* bias = nullptr;  // m elements, each for a row of C
    int64_t stride_bias = 0;

    void* stream = nullptr;
    void* workspace = nullptr;
    uint64_t workspace_bytes = 0;
};

// Why cuBLAS has to do it, in words that a log can show; null if we can. Arguments that are not legal, and products of
// nothing, are left to cuBLAS, whose answers they get.
const char* reason_to_pass_on(const Call& call);

// The same call by rows: a matrix stored by columns is its transpose stored by rows, and C' = op(B)' * op(A)'. So the
// operands change places, and nothing is copied. Only for a call that need not be passed on.
solve_gemm_t as_ours(const Call& call, uint32_t accuracy);

}  // namespace drop_in
