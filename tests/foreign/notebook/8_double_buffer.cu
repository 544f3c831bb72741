// expect: limited
// says: wrong where N = 0
// Two tiles of 16 x 16: the first is loaded before the loop, which therefore runs once even where there is nothing to
// sum.
#include <cuda_runtime.h>
#define TILE 16

__global__ void double_buffer(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float a[2][TILE][TILE], b[2][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    auto load = [&](int stage, int n) {
        a[stage][ty][tx] = A[min(row, M - 1) * N + min(n + tx, N - 1)] * (n + tx < N);
        b[stage][ty][tx] = B[min(n + ty, N - 1) * K + min(col, K - 1)] * (n + ty < N);
        __syncthreads();
    };
    float sum = 0;
    int stage = 0, n = 0;
    load(0, 0);
    do {
        if (n + TILE < N) load(1 - stage, n + TILE);
        for (int i = 0; i < TILE; i++) sum += a[stage][ty][i] * b[stage][i][tx];
        stage = 1 - stage;
        __syncthreads();
        n += TILE;
    } while (n < N);
    if (row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    dim3 block(TILE, TILE), grid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    double_buffer<<<grid, block>>>(A, B, C, M, N, K);
}
