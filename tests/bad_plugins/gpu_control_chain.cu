// expect: ok
// fault: control: solve_chain alone, and nothing that describes it.
// emulated: ok
// options: --op chain --shape 33x17x29x31
#include "multiply.cuh"

extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    float* between = nullptr;
    if (int64_t(M) * K > 0) cudaMalloc(&between, int64_t(M) * K * sizeof(float));
    multiply(A, B, between, M, N, K);
    multiply(between, C, E, M, K, L);
    cudaFree(between);
}
