// expect: wrong
// fault: W8: Leaves out the last term of every sum, as a missing tail of N does.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) C[(size_t)i * K + k] -= A[(size_t)i * N + N - 1] * B[(size_t)(N - 1) * K + k];
    }
}
