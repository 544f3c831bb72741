// expect: ok
// fault: T7 F28: Its first call forks a child that asks something and ends: OpenBLAS makes its threads anew then.
#include <sys/wait.h>
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static const bool asked = [] {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        return child > 0 && waitpid(child, nullptr, 0) == child;
    }();
    (void)asked;
    multiply(A, B, C, M, N, K);
}
