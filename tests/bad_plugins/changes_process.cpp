// expect: ok
// fault: F27: C is right, but the process is not as it was: a note in the row says what is different.
// note: it changes the handler of SIGUSR1 (default, now ignored), the umask
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    chdir("/");
    umask(0);
    setenv("LEFT_BEHIND", "by a plugin", 1);
    std::signal(SIGUSR1, SIG_IGN);
}
