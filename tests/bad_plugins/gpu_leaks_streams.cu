// expect: suspicious
// fault: F24: C is right; each call keeps 16 streams and events.
// emulated: suspicious: each call leaves a stream or an event behind
#include "multiply.cuh"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    for (int i = 0; i < 16; ++i) {
        cudaStream_t stream = nullptr;
        cudaEvent_t event = nullptr;
        cudaStreamCreate(&stream);
        cudaEventCreate(&event);
    }
}
