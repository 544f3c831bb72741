// expect: out-of-bounds
// fault: W12: Writes one element past the end of C.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    C[(size_t)M * K] = 0;
}
