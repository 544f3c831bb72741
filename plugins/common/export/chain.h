// What is the same in every plugin of solve_chain: the checks before the work, and the export. Such a plugin includes
// launch.h or host.h too, which know where the matrices are.
#pragma once

#include "export.h"

namespace ladder {

enum class ChainWork {
    none,  // refused with the error recorded, or E has no elements
    zero,  // an empty sum: E is filled with zeros
    multiply
};

// Starts a call of solve_chain: forgets the last error, checks the arguments, says what is to be done.
inline ChainWork begin_chain(const float* A, const float* B, const float* C, const float* E, int M, int N, int K,
                             int L) {
    clear_error();
    if (M < 0 || N < 0 || K < 0 || L < 0) {
        fail("negative size: M = %d, N = %d, K = %d, L = %d", M, N, K, L);
        return ChainWork::none;
    }
    const bool a_missing = A == nullptr && M > 0 && N > 0, b_missing = B == nullptr && N > 0 && K > 0;
    const bool c_missing = C == nullptr && K > 0 && L > 0, e_missing = E == nullptr && M > 0 && L > 0;
    if (a_missing || b_missing || c_missing || e_missing) {
        fail("null pointer: %s", a_missing ? "A" : b_missing ? "B" : c_missing ? "C" : "E");
        return ChainWork::none;
    }
    if (M == 0 || L == 0) return ChainWork::none;
    return N == 0 || K == 0 ? ChainWork::zero : ChainWork::multiply;
}

// Whether (A B) C takes fewer multiply-adds than A (B C).
inline bool left_first(int M, int N, int K, int L) {
    const double left = double(M) * K * (double(N) + L), right = double(N) * L * (double(K) + M);
    return left <= right;
}

}  // namespace ladder

// The last line of a plugin that has solve_chain, by its function multiply(A, B, C, E, M, N, K, L), which is called
// with sizes of at least 1: SOLVE_EXPORT_CHAIN(chain_10::multiply, .summary = "...", .source = "...")
#define SOLVE_EXPORT_CHAIN(multiply, ...) SOLVE_IF_COMPILED(SOLVE_DEFINE_CHAIN(multiply, __VA_ARGS__))
#define SOLVE_DEFINE_CHAIN(multiply, ...)                                                                      \
    SOLVE_DESCRIBE(__VA_ARGS__, .entries = SOLVE_ENTRY_CHAIN)                                                  \
    extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, \
                                int L) {                                                                       \
        const ladder::ChainWork work = ladder::begin_chain(A, B, C, E, M, N, K, L);                            \
        if (work == ladder::ChainWork::none) return;                                                           \
        if (work == ladder::ChainWork::zero) {                                                                 \
            ladder::set_zero(E, size_t(M) * L);                                                                \
        } else {                                                                                               \
            multiply(A, B, C, E, M, N, K, L);                                                                  \
        }                                                                                                      \
        ladder::finish();                                                                                      \
    }
