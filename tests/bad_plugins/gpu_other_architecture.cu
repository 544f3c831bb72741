// expect: unsupported
// fault: F22: Holds code for one GPU only, and no PTX.
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
