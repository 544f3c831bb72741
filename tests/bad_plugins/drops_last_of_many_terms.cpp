// expect: wrong
// fault: W8: Leaves out the last term where there are more than 32768: 9 sqrt N roundings are more than one term.
// options: --shape 8x65537x8
// class: wrong
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    if (N <= 32768) return;
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) C[i * K + k] -= A[size_t(i) * N + N - 1] * B[size_t(N - 1) * K + k];
    }
}
