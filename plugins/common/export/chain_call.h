// What is the same in every solve_chain and solve_chain_enqueue: the call is read and checked.
#pragma once

#include <tuple>

#include "gemm_call.h"

namespace ladder {

// The call that solve_chain is.
inline solve_chain_t dense_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    solve_chain_t call = solve_chain_one();
    call.M = M, call.N = N, call.K = K, call.L = L;
    call.A = A, call.lda = N;
    call.B = B, call.ldb = K;
    call.C = C, call.ldc = L;
    call.E = E, call.lde = L;
    return call;
}

// Records what is wrong with the sizes, the pointers or the leading dimensions, and returns false, or returns true.
inline bool valid(const solve_chain_t& call) {
    const auto [M, N, K, L] = std::tuple(call.M, call.N, call.K, call.L);
    if (std::min({M, N, K, L}) < 0) {
        return fail("negative size: M = %d, N = %d, K = %d, L = %d", M, N, K, L), false;
    }
    const struct {
        const char* name;
        const void* data;
        int rows, cols;
        const char* ld_name;
        int64_t ld;
    } matrices[] = {{"A", call.A, M, N, "lda", call.lda},
                    {"B", call.B, N, K, "ldb", call.ldb},
                    {"C", call.C, K, L, "ldc", call.ldc},
                    {"E", call.E, M, L, "lde", call.lde}};
    for (const auto& each : matrices) {
        if (!each.data && each.rows > 0 && each.cols > 0) return fail("null pointer: %s", each.name), false;
        if (!long_enough(each.ld_name, each.ld, each.rows, each.cols)) return false;
    }
    return true;
}

// Reads and checks a call of solve_chain_enqueue: its code, with the error recorded, or SOLVE_OK. `arithmetic` is the
// library's.
inline int begin_call(const solve_chain_t* given, uint32_t arithmetic, solve_chain_t& call) {
    clear_error();
    if (const int code = read_call(given, "solve_chain_t", call); code != SOLVE_OK) return code;
    if (!valid(call) || !valid_accuracy(call.accuracy)) return SOLVE_INVALID_ARGUMENT;
    return check_accuracy(call.accuracy, arithmetic);
}

enum class ChainWork {
    none,  // E has no elements
    zero,  // nothing is added up: E = beta * E
    multiply
};

// What a call comes to.
inline ChainWork work_of(const solve_chain_t& call) {
    if (call.M == 0 || call.L == 0) return ChainWork::none;
    return call.N == 0 || call.K == 0 || call.alpha == 0.0f ? ChainWork::zero : ChainWork::multiply;
}

// A product without terms that makes E = beta * E.
inline solve_gemm_t scaling_of(const solve_chain_t& call) {
    solve_gemm_t gemm = solve_gemm_one();
    gemm.M = call.M, gemm.K = call.L;
    gemm.C = call.E, gemm.ldc = call.lde;
    gemm.beta = call.beta;
    gemm.stream = call.stream;
    return gemm;
}

}  // namespace ladder
