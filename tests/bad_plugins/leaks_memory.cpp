// expect: suspicious
// fault: F24: C is right; each call keeps 64 KiB.
#include <cstdlib>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    static char* volatile kept;
    kept = static_cast<char*>(std::malloc(65536));
}
