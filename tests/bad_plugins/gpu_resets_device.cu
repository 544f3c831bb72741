// expect: crashed
// fault: F20: Destroys the context, and with it the memory that the caller holds.
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    cudaDeviceReset();
}
