#include "call.h"

#include <algorithm>
#include <limits>

#include "cublas_abi.h"

namespace drop_in {

namespace {

bool is_transpose(int operation) {
    return operation != cublas::kN;  // of real numbers the conjugate transpose is the transpose
}

bool is_known(int operation) {
    return operation == cublas::kN || operation == cublas::kT || operation == cublas::kC;
}

// Whether the call is one that cuBLAS would do, and has something to do.
const char* wrong_or_empty(const Call& call) {
    if (!is_known(call.transpose_a) || !is_known(call.transpose_b)) return "an operation that we do not know";
    if (std::min({call.m, call.n, call.k, call.batch}) < 0) return "a negative size";
    if (std::min({call.m, call.n, call.k, call.batch}) == 0) return "a size of 0";
    if (call.lda < (is_transpose(call.transpose_a) ? call.k : call.m) ||
        call.ldb < (is_transpose(call.transpose_b) ? call.n : call.k) || call.ldc < call.m) {
        return "a leading dimension that is too small";
    }
    if (!call.alpha || !call.beta) return "a null pointer";
    const bool missing =
        call.has_arrays ? !call.A_array || !call.B_array || !call.C_array : !call.A || !call.B || !call.C;
    return missing ? "a null pointer" : nullptr;
}

}  // namespace

const char* reason_to_pass_on(const Call& call) {
    if (call.not_ours) return call.not_ours;
    if (const char* const why = wrong_or_empty(call)) return why;
    if (std::max({call.m, call.n, call.k, call.batch}) > std::numeric_limits<int32_t>::max()) {
        return "a size above 2^31 - 1";
    }
    if (call.batch > 1 && !call.has_arrays && call.stride_c == 0) return "products that overwrite each other";
    return nullptr;
}

solve_gemm_t as_ours(const Call& call, uint32_t accuracy) {
    solve_gemm_t ours = solve_gemm_one();
    ours.transpose_a = is_transpose(call.transpose_b) ? SOLVE_T : SOLVE_N;
    ours.transpose_b = is_transpose(call.transpose_a) ? SOLVE_T : SOLVE_N;
    ours.M = static_cast<int32_t>(call.n);
    ours.N = static_cast<int32_t>(call.k);
    ours.K = static_cast<int32_t>(call.m);
    ours.batch = static_cast<int32_t>(call.batch);
    ours.accuracy = call.is_pedantic ? uint32_t{SOLVE_ARITHMETIC_FP32} : accuracy;
    ours.A = call.B, ours.lda = call.ldb, ours.stride_a = call.stride_b, ours.A_array = call.B_array;
    ours.B = call.A, ours.ldb = call.lda, ours.stride_b = call.stride_a, ours.B_array = call.A_array;
    ours.C = call.C, ours.ldc = call.ldc, ours.stride_c = call.stride_c, ours.C_array = call.C_array;
    ours.alpha = *call.alpha;
    ours.beta = *call.beta;
    if (call.bias) {
        ours.bias = call.bias, ours.stride_bias = call.stride_bias;
        ours.bias_kind = SOLVE_BIAS_OF_COLUMNS;
    }
    ours.stream = call.stream;
    // Less aligned it is none for us.
    if (reinterpret_cast<uintptr_t>(call.workspace) % 256 == 0) {
        ours.workspace = call.workspace, ours.workspace_bytes = call.workspace ? call.workspace_bytes : 0;
    }
    return ours;
}

}  // namespace drop_in
