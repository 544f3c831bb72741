// expect: load-error
// fault: F13: Aborts while it loads.
#include <cstdlib>

#include "multiply.h"

__attribute__((constructor)) static void leave() {
    std::abort();
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
