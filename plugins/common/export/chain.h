// What is the same in every plugin of solve_chain, whichever its device: the checks before the work.
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
