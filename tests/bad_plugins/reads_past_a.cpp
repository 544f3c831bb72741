// expect: wrong
// fault: W13: Reads one element past A and multiplies it by zero, as a sloppy tail does.
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    C[0] += 0 * A[(size_t)M * N];  // harmless if what lies there is a number
}
