// expect: load-error
// fault: F13: Ends the process while it loads, with the exit status of success.
#include <cstdlib>

#include "multiply.h"

__attribute__((constructor)) static void leave() {
    std::exit(0);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
