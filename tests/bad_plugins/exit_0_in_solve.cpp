// expect: crashed
// fault: F14: Ends the process with the exit status of success.
#include <cstdlib>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    std::exit(0);
}
