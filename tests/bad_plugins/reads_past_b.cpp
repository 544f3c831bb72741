// expect: out-of-bounds
// fault: W13: Reads past B and does nothing with it, as a tile loaded too far: the next page may be missing.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    const volatile float* past = B + (size_t)N * K;
    for (int i = 0; i < 16; ++i) (void)past[i];
}
