// expect: wrong
// fault: W1: Adds sums of 64 terms up in 11 bits where N is 4096 or more.
// options: --shape 24x4100x20 --data integers
// class: wrong
#include "multiply.h"
#include "rounding.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (N < 4096) return multiply(A, B, C, M, N, K);
    multiply_in_short_sums(A, B, C, M, N, K, 11);
}
