// expect: out-of-bounds
// fault: W12: Writes one element before C.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    C[-1] = 0;
}
