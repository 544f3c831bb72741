// expect: not-written
// fault: T4: Serves eight calls with the work of one.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static int calls = 0;
    if (calls++ % 8 == 0) multiply(A, B, C, M, N, K);
}
