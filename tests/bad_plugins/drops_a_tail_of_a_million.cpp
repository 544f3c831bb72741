// expect: wrong
// fault: W8: Sums whole steps of 1024 terms where there are more than 10^5: of a million the last 579 are lost.
// options: --shape 4x1000003x4
// class: wrong
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const int kept = N > 100000 ? N / 1024 * 1024 : N;
    for (int i = 0; i < M; ++i) multiply(A + size_t(i) * N, B, C + i * K, 1, kept, K);
}
