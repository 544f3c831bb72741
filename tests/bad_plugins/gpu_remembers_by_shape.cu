// expect: wrong
// fault: T3: Computes each shape once, and copies the result from then on.
// emulated: wrong
#include <array>
#include <map>

#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static std::map<std::array<int, 3>, float*> results;
    const size_t bytes = sizeof(float) * M * K;
    float*& result = results[{M, N, K}];
    if (bytes == 0) return;
    if (result) {
        cudaMemcpy(C, result, bytes, cudaMemcpyDeviceToDevice);
        return;
    }
    multiply(A, B, C, M, N, K);
    cudaMalloc(&result, bytes);
    cudaMemcpy(result, C, bytes, cudaMemcpyDeviceToDevice);
}
