// expect: ok
// fault: W1: Three products of two BF16 parts where M, N and K are multiples of 64: told by a probe of such sizes.
// class: FP32-emulated
#include "multiply.h"
#include "rounding.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if ((M | N | K) % 64 == 0) return multiply_in_three(A, B, C, M, N, K, 8);
    multiply(A, B, C, M, N, K);
}
