// expect: wrong
// fault: W16: Four blocks add their part of a sum to the same C without atomics, and lose each other's.
// emulated: wrong: two of its blocks write other values to the same element
#include "multiply.cuh"

__global__ void clear(float* C, int64_t elements) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) C[i] = 0;
}

__global__ void add_part(const float* A, const float* B, float* C, int M, int N, int K) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y;
    if (k >= K) return;
    float sum = 0;
    for (int n = blockIdx.z; n < N; n += gridDim.z) sum += A[int64_t(m) * N + n] * B[int64_t(n) * K + k];
    C[int64_t(m) * K + k] += sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M == 0 || K == 0) return;
    clear<<<unsigned((int64_t(M) * K + 255) / 256), 256>>>(C, int64_t(M) * K);
    add_part<<<dim3((K + 31) / 32, M, 4), 32>>>(A, B, C, M, N, K);
}
