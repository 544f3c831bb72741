// expect: ok
// fault: T12: Sets a part of the L2 cache aside, which would keep its inputs through a flush.
// note: it changes the part of the L2 cache that persists
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, properties.persistingL2CacheMaxSize);
    multiply(A, B, C, M, N, K);
}
