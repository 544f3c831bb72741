// expect: limited
// says: right where M, N, K are multiples of 32;
// Tiles of 32 x 32 in shared memory; the grid is rounded up, and nothing is checked.
#include <cuda_runtime.h>
#define TILE 32

__global__ void shared_tile(const float* A, const float* B, float* C, int N, int K) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int n = 0; n < N; n += TILE) {
        a[ty][tx] = A[row * N + n + tx];
        b[ty][tx] = B[(n + ty) * K + col];
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(TILE, TILE), grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    shared_tile<<<grid, block>>>(A, B, C, N, K);
}
