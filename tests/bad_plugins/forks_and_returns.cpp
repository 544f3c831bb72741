// expect: ok
// fault: F28: Forks in every fourth call, and the child comes back from solve as the plugin does: its row is told once.
#include <sys/wait.h>
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    static int calls = 0;
    if (++calls % 4 != 1) return;
    if (const pid_t child = fork(); child > 0) waitpid(child, nullptr, 0);
}
