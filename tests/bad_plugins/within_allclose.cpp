// expect: wrong
// fault: W4: Is off by what allclose(rtol=1e-3, atol=1e-4) accepts, 20 times the bound here.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    for (size_t i = 0; i < (size_t)M * K; ++i) C[i] += 1e-4f;
}
