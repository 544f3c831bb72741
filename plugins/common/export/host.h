// What is the same in every CPU plugin: the checks before the work, and the metadata (in export.h).
#pragma once

#include <algorithm>
#include <cstddef>

#include "export.h"

namespace ladder {

// Starts a call: forgets the last error, checks the arguments, and settles the products without a multiplication.
// Returns true if the caller must multiply; M, N and K are at least 1 then.
inline bool begin(const float* A, const float* B, float* C, int M, int N, int K) {
    clear_error();
    if (!valid(A, B, C, M, N, K) || M == 0 || K == 0) return false;
    if (N > 0) return true;
    std::fill_n(C, size_t(M) * K, 0.0f);  // an empty sum is 0
    return false;
}

}  // namespace ladder
