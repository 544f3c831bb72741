// What is the same in every CPU plugin: the checks before the work, and the metadata (in export.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>

#include "chain_call.h"
#include "export.h"

namespace ladder {

// What an empty sum is: C, dense, = 0.
inline void set_zero(float* C, size_t elements) {
    std::fill_n(C, elements, 0.0f);
}

// Starts a call: forgets the last error, checks the arguments, and settles the products without a multiplication.
// Returns true if the caller must multiply; M, N and K are at least 1 then.
inline bool begin(const float* A, const float* B, float* C, int M, int N, int K) {
    clear_error();
    if (!valid(A, B, C, M, N, K) || M == 0 || K == 0) return false;
    if (N > 0) return true;
    set_zero(C, size_t(M) * K);
    return false;
}

// Ends a call: on the host nothing is left to fail.
inline void finish() {}

// A call of solve: multiply(A, B, C, M, N, K) if there is something to multiply. An exception, which no caller in
// another language could catch, becomes an error.
template <class Multiply>
void solve(const float* A, const float* B, float* C, int M, int N, int K, Multiply multiply) {
    if (!begin(A, B, C, M, N, K)) return;
    try {
        multiply(A, B, C, M, N, K);
    } catch (const std::exception& error) {
        fail("%s", error.what());
    }
}

// C = beta * C + bias of product i, without reading C if beta is 0.
inline void scale_and_bias(const solve_gemm_t& call, int64_t i) {
    float* const C = c_of(call, i);
    for (int64_t row = 0; row < call.M; ++row) {
        for (int64_t col = 0; col < call.K; ++col) {
            float& c = C[row * call.ldc + col];
            // The empty sum, whose 0 makes a -0 of C positive.
            c = 0.0f + (call.beta != 0.0f ? call.beta * c : 0.0f) + bias_of(call, i, row, col);
        }
    }
}

// Executes a call of solve_gemm, of a library of that arithmetic, and returns its code: multiply_all(call) if there is
// something to multiply, which returns a code too.
template <class Multiply>
int execute_call(const solve_gemm_t* given, uint32_t arithmetic, Multiply multiply_all) {
    solve_gemm_t call;
    if (const int code = begin_call(given, arithmetic, call); code != SOLVE_OK) return code;
    if (call.batch == 0 || call.M == 0 || call.K == 0) return SOLVE_OK;
    try {
        if (!is_empty_sum(call)) return multiply_all(call);
        for (int64_t i = 0; i < call.batch; ++i) scale_and_bias(call, i);
        return SOLVE_OK;
    } catch (const std::exception& error) {
        return fail("%s", error.what()), SOLVE_DEVICE_ERROR;
    }
}

// The same for a call of solve_chain_enqueue.
template <class Multiply>
int execute_chain(const solve_chain_t* given, const Description& plugin, Multiply multiply) {
    solve_chain_t call;
    if (const int code = begin_call(given, plugin.arithmetic, call); code != SOLVE_OK) return code;
    try {
        const ChainWork work = work_of(call);
        if (work == ChainWork::multiply) return multiply(call);
        if (work == ChainWork::zero) scale_and_bias(scaling_of(call), 0);
        return SOLVE_OK;
    } catch (const std::exception& error) {
        return fail("%s", error.what()), SOLVE_DEVICE_ERROR;
    }
}

}  // namespace ladder

// The last line of a plugin that has solve alone, by its function multiply(A, B, C, M, N, K), which is called with M, N
// and K of at least 1: SOLVE_EXPORT(cpu_00::multiply, .summary = "...", .source = "...")
#define SOLVE_EXPORT(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE(multiply, __VA_ARGS__))
#define SOLVE_DEFINE(multiply, ...)                                                        \
    SOLVE_DESCRIBE(__VA_ARGS__)                                                            \
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) { \
        ladder::solve(A, B, C, M, N, K, multiply);                                         \
    }

// The same of one that has solve_gemm too, by its function multiply_all(call), which returns the call's code.
#define SOLVE_EXPORT_ALL(multiply, multiply_all, ...)                                                          \
    SOLVE_IF_COMPILED(SOLVE_DEFINE(                                                                            \
        multiply, __VA_ARGS__,                                                                                 \
        .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_GEMM) extern "C" int solve_gemm(const solve_gemm_t* call) { \
        return ladder::execute_call(call, solve_description.arithmetic, multiply_all);                         \
    })

// A host plugin's description alone, for one that defines its entries itself.
#define SOLVE_DESCRIBE(...) SOLVE_DESCRIBE_IN(SOLVE_MEMORY_HOST, __VA_ARGS__)
