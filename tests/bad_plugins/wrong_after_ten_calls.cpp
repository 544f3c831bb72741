// expect: wrong
// fault: T11: Adds 1 to an element from the eleventh call on, when a check before the timing is over.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static int calls = 0;
    multiply(A, B, C, M, N, K);
    if (++calls > 10) C[0] += 1;
}
