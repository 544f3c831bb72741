// expect: wrong
// fault: T1: Computes the first call and copies its result from then on.
// emulated: wrong
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static float* result = nullptr;
    const size_t bytes = sizeof(float) * M * K;
    if (result == nullptr) {
        cudaMalloc(&result, bytes);
        multiply(A, B, result, M, N, K);
    }
    cudaMemcpyAsync(C, result, bytes, cudaMemcpyDeviceToDevice);
}
