// expect: ok
// fault: T7: Carries the mark of the library that all others are raced against; compare says which it takes.
#include "multiply.h"

__attribute__((section(".solve.baseline"), used)) static const char mark[] = "baseline";

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
