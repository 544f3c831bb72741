// What is the same in every CPU plugin: the checks before the work, and the metadata (in export.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>

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

}  // namespace ladder

// The last line of a plugin that has solve alone, by its function multiply(A, B, C, M, N, K), which is called with M, N
// and K of at least 1: SOLVE_EXPORT(cpu_00::multiply, .summary = "...", .source = "...")
#define SOLVE_EXPORT(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE(multiply, __VA_ARGS__))
#define SOLVE_DEFINE(multiply, ...)                                                        \
    SOLVE_DESCRIBE(__VA_ARGS__)                                                            \
    extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) { \
        ladder::solve(A, B, C, M, N, K, multiply);                                         \
    }

// A host plugin's description alone, for one that defines its entries itself.
#define SOLVE_DESCRIBE(...) SOLVE_DESCRIBE_IN(SOLVE_MEMORY_HOST, __VA_ARGS__)
