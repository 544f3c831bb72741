// expect: limited
// says: right where M = N = K, a multiple of 32;
// Written for one size of everything.
#include <cuda_runtime.h>
#define TILE 32

__global__ void squares(const float* A, const float* B, float* C, int size) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int n = 0; n < size; n += TILE) {
        a[ty][tx] = A[row * size + n + tx];
        b[ty][tx] = B[(n + ty) * size + col];
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    C[row * size + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    squares<<<dim3(M / TILE, M / TILE), dim3(TILE, TILE)>>>(A, B, C, M);
}
