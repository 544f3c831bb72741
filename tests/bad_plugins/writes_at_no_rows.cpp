// expect: limited
// fault: W12: Writes the first element of C before it looks whether there is one.
// note: touches memory outside its matrices at 0x5x7
// class: FP32
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    C[0] = 0;
    multiply(A, B, C, M, N, K);
}
