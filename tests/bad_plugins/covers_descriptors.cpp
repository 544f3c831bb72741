// expect: crashed
// fault: F27: Puts /dev/null in the place of every descriptor, the one that the result goes through included.
// note: the descriptor that its results go through
#include <fcntl.h>
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 1024; ++fd) {
        if (fd != null) dup2(null, fd);
    }
}
