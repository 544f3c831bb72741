// expect: input-modified
// fault: W11: Changes an element of A.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    const_cast<float*>(A)[0] = 0;
}
