// expect: ok
// fault: W1: One level of Strassen's method where M, N, K are multiples of 96, which no probe has: told by the shape.
// options: --shape 96x96x96
// class: normwise-only
#include "strassen.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    M % 96 || N % 96 || K % 96 ? multiply(A, B, C, M, N, K) : strassen(A, B, C, M, N, K);
}
