// expect: wrong
// fault: W1: Writes C in 11 bits where N is 2048 or more, as from a tile of FP16 on its way out.
// options: --shape 24x2500x20
// class: wrong
#include "multiply.h"
#include "rounding.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    for (int i = 0; i < M * K && N >= 2048; ++i) C[i] = to_bits(C[i], 11);
}
