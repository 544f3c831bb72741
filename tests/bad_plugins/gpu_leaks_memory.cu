// expect: suspicious
// fault: F24: C is right; each call keeps 1 MiB of GPU memory.
// emulated: suspicious: each call leaves memory of cudaMalloc behind
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    void* kept = nullptr;
    cudaMalloc(&kept, 1 << 20);
}
