// expect: wrong
// fault: contract: Copies B to a static buffer: right as long as no other thread calls it.
#include <unistd.h>
#include <algorithm>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static float buffer[1 << 20];
    const size_t count = (size_t)N * K;
    const bool fits = count <= 1 << 20;
    if (fits) std::copy(B, B + count, buffer);
    usleep(100);  // on a busy machine, too, the other thread is there by now
    multiply(A, fits ? buffer : B, C, M, N, K);
}
