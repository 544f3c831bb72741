// expect: ok
// fault: W1: One level of Strassen's method at any size: right for C as a whole, not for each element.
// class: normwise-only
#include "strassen.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    strassen(A, B, C, M, N, K);
}
