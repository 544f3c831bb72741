// expect: suspicious
// fault: F28: Starts a process that leaves the process group: each call leaks one; all must be gone afterwards.
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    if (fork() == 0) {
        setsid();
        execlp("sleep", "sleep", "987654", nullptr);
        _exit(1);
    }
}
