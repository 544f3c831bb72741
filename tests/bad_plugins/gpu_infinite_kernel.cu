// expect: timed-out
// fault: F16: Its kernel never ends.
#include "multiply.cuh"

__global__ void forever(volatile float* C) {
    while (true) C[0] = 1;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    forever<<<1, 1>>>(C);
}
