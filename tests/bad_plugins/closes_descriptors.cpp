// expect: crashed
// fault: F27: Closes every descriptor, the one that the result goes through included.
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int fd = 0; fd < 1024; ++fd) close(fd);
    multiply(A, B, C, M, N, K);
}
