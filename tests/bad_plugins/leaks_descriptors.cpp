// expect: suspicious
// fault: F25: C is right; each call leaves a file open.
#include <fcntl.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    open("/dev/null", O_RDONLY);
}
