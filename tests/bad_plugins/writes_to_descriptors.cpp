// expect: wrong
// fault: F27: Writes a byte to every descriptor, the one that the result goes through included; C is wrong.
#include <unistd.h>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    if (M > 0 && K > 0) C[0] += 1;
    for (int fd = 3; fd < 1024; ++fd) write(fd, "x", 1);
}
