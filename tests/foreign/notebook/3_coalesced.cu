// expect: limited
// says: right where M, K are multiples of 32;
// A warp computes neighbours of a row; nothing is checked, and the grid is rounded down.
#include <cuda_runtime.h>

__global__ void coalesced(const float* A, const float* B, float* C, int N, int K) {
    int row = blockIdx.y * 32 + threadIdx.x / 32, col = blockIdx.x * 32 + threadIdx.x % 32;
    float sum = 0;
    for (int n = 0; n < N; n++) sum += A[row * N + n] * B[n * K + col];
    C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    coalesced<<<dim3(K / 32, M / 32), 32 * 32>>>(A, B, C, N, K);
}
