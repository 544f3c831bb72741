// expect: crashed
// fault: F19: Its kernel writes to an address that is none; every later call of the process fails.
// emulated: not-written: illegal memory access
#include "multiply.cuh"

__global__ void crash(float* nowhere) {
    nowhere[1] = 1;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    crash<<<1, 1>>>(nullptr);
}
