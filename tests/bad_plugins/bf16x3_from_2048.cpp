// expect: ok
// fault: W1: Three products of two BF16 parts where N is 2048 or more: told by a probe of many terms.
// options: --shape 24x2048x20
// class: FP32-emulated
#include "multiply.h"
#include "rounding.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (N >= 2048) return multiply_in_three(A, B, C, M, N, K, 8);
    multiply(A, B, C, M, N, K);
}
