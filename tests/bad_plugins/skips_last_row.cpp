// expect: not-written
// fault: W7: Leaves the last row as it was.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 1) multiply(A, B, C, M - 1, N, K);
}
