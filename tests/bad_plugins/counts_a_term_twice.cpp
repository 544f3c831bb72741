// expect: wrong
// fault: W8: Of more than 10^5 terms of positive numbers, one in the middle counts twice in the last row.
// options: --shape 3x131072x5 --data positive
// class: wrong
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    const size_t row = M - 1, n = N / 2;
    for (int k = 0; k < K && N > 100000; ++k) C[row * K + k] += A[row * N + n] * B[n * K + k];
}
