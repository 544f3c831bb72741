// expect: ok
// fault: T17: Changes limits of the device, and leaves them so.
// note: it changes the stack of a GPU thread
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    cudaDeviceSetLimit(cudaLimitStackSize, 8192);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    multiply(A, B, C, M, N, K);
}
