// expect: wrong
// fault: W16: Leaves the last odd row to a second thread, also where the environment allows for one.
// note: right, but not with OMP_NUM_THREADS
#include <cstdlib>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const char* const threads = getenv("OMP_NUM_THREADS");
    const bool alone = threads && atoi(threads) == 1 && M > 1;
    multiply(A, B, C, alone ? M & ~1 : M, N, K);
}
