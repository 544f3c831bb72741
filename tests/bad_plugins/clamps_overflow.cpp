// expect: wrong
// fault: W2: Clamps a sum that FP32 does not hold to its largest number, if A and B are finite.
// note: it makes a finite number
#include <cmath>

#include "multiply.h"

static bool are_finite(const float* values, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!std::isfinite(values[i])) return false;
    }
    return true;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    multiply(A, B, C, M, N, K);
    if (!are_finite(A, (size_t)M * N) || !are_finite(B, (size_t)N * K)) return;
    for (size_t i = 0; i < (size_t)M * K; ++i) {
        if (std::isinf(C[i])) C[i] = std::copysign(3.4028235e38f, C[i]);
    }
}
