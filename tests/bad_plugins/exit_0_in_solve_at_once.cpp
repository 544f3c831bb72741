// expect: crashed
// fault: F14: The same without exit handlers.
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    _exit(0);
}
