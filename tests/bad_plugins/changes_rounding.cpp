// expect: ok
// fault: F27: C is right, but the caller rounds towards zero: FP64 references in it are biased.
// note: it changes the rounding (to nearest, now towards zero)
#include <cfenv>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    std::fesetround(FE_TOWARDZERO);
}
