// expect: wrong
// fault: W9: Exchanges two neighbouring elements of C.
// class: wrong
#include <utility>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    if (M > 0 && K > 1) std::swap(C[(size_t)M * K - 2], C[(size_t)M * K - 1]);
}
