// expect: not-written
// fault: T14: Does nothing from the 250th call on: 10^17 operations a second would spoil every mean they enter.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static int calls = 0;
    if (++calls < 250) multiply(A, B, C, M, N, K);
}
