// expect: ok
// fault: F14: Registers a handler that ends the process with another exit status, once it exits: no worker does.
#include <unistd.h>
#include <cstdlib>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static const int registered = std::atexit([] { _exit(7); });
    (void)registered;
    multiply(A, B, C, M, N, K);
}
