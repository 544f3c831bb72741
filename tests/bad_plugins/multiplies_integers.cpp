// expect: wrong
// fault: W8: Multiplies whole numbers in integers of 32 bits, which wrap.
// note: right on numbers around 1, but not on large ones
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "multiply.h"

static bool are_whole(const float* X, size_t count) {
    return std::all_of(X, X + count, [](float x) { return std::abs(x) < 2e9f && x == std::floor(x); });
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    if (!are_whole(A, (size_t)M * N) || !are_whole(B, (size_t)N * K)) return multiply(A, B, C, M, N, K);
    for (size_t i = 0; i < (size_t)M; ++i) {
        for (int k = 0; k < K; ++k) {
            uint32_t sum = 0;
            for (int n = 0; n < N; ++n)
                sum += (uint32_t)(int32_t)A[i * N + n] * (uint32_t)(int32_t)B[(size_t)n * K + k];
            C[i * K + k] = (float)(int32_t)sum;
        }
    }
}
