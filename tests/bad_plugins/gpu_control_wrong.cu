// expect: wrong
// fault: control: The other control: one element is off by one percent.
// emulated: wrong: 1 wrong of
#include "multiply.cuh"

__global__ void spoil(float* element) {
    *element *= 1.01f;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    spoil<<<1, 1>>>(C + int64_t(M) * K - 1);
}
