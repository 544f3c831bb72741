// expect: crashed
// fault: F15: C is right, but host code reads it through the device pointer.
// emulated: crashed: host code accesses device memory
// options: --shape 65x33x129
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    cudaDeviceSynchronize();
    volatile float last = 0;
    for (int64_t i = 0; i < int64_t(M) * K; ++i) last = C[i];
    (void)last;
}
