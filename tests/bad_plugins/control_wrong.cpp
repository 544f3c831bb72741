// expect: wrong
// fault: control: The other control: one element is off by one percent.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    C[(size_t)(M - 1) * K + K / 2] *= 1.01f;
}
