// expect: timed-out
// fault: F13: Never finishes loading.
#include <unistd.h>

#include "multiply.h"

__attribute__((constructor)) static void hang() {
    while (true) pause();
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
