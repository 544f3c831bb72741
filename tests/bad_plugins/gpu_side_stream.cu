// expect: not-written
// fault: T5: Works on a stream that the default stream does not wait for, and does not wait either.
// emulated: suspicious: work on a stream of cudaStreamNonBlocking may still be running when solve returns
#include "multiply.cuh"

__global__ void spin(long long cycles) {
    for (const long long start = clock64(); clock64() - start < cycles;) {
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static cudaStream_t stream = nullptr;
    if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    spin<<<1, 1, 0, stream>>>(20'000'000);  // 10 ms at 2 GHz
    multiply(A, B, C, M, N, K, stream);
}
