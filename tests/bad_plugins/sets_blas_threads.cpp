// expect: ok
// fault: T7: Sets what decides how fast the baseline is: the ratio to that is none.
// note: loading it changes the environment variable OPENBLAS_NUM_THREADS (now 1)
#include <cstdlib>

#include "multiply.h"

__attribute__((constructor)) static void set() {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
