// expect: suspicious
// fault: F28: Starts a process in each call, and waits for none: some ten thousand calls later none can start.
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (fork() == 0) _exit(0);
    multiply(A, B, C, M, N, K);
}
