// C' = op(B)' * op(A)': the call of which the rows of C are columns of the given call's.
#pragma once

#include <utility>

#include "../export/gemm.h"

namespace ladder {

// C itself stays as it lies: element (row, col) of the turned call's is at C[col * ldc + row].
inline solve_gemm_t turned(const solve_gemm_t& call) {
    constexpr uint32_t kBias[] = {SOLVE_BIAS_NONE, SOLVE_BIAS_OF_COLUMNS, SOLVE_BIAS_OF_ROWS};
    const auto other = [](uint32_t transposed) -> uint32_t { return transposed == SOLVE_T ? SOLVE_N : SOLVE_T; };
    solve_gemm_t result = call;
    std::swap(result.M, result.K);
    std::swap(result.A, result.B);
    std::swap(result.lda, result.ldb);
    std::swap(result.stride_a, result.stride_b);
    std::swap(result.A_array, result.B_array);
    result.transpose_a = other(call.transpose_b);
    result.transpose_b = other(call.transpose_a);
    result.bias_kind = kBias[call.bias_kind];
    return result;
}

}  // namespace ladder
