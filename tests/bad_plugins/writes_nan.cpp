// expect: wrong
// fault: W2: Writes one NaN, for which `difference > tolerance` is false.
#include <cmath>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    C[K - 1] = NAN;
}
