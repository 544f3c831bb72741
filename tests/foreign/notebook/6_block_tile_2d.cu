// expect: limited
// says: right where M, K are multiples of 128 and N of 8;
// 128 x 128 a block, 8 x 8 a thread.
#include <cuda_runtime.h>
#define BM 128
#define BK 128
#define BN 8

__global__ void block_tile_2d(const float* A, const float* B, float* C, int N, int K) {
    __shared__ float a[BM * BN], b[BN * BK];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    A += blockIdx.y * BM * N;
    B += blockIdx.x * BK;
    C += blockIdx.y * BM * K + blockIdx.x * BK;
    float sums[8][8] = {{0}}, x[8], y[8];
    for (int n = 0; n < N; n += BN) {
        for (int i = threadIdx.x; i < BM * BN; i += 256) a[i] = A[i / BN * N + n + i % BN];
        for (int i = threadIdx.x; i < BN * BK; i += 256) b[i] = B[(n + i / BK) * K + i % BK];
        __syncthreads();
        for (int i = 0; i < BN; i++) {
            for (int r = 0; r < 8; r++) x[r] = a[(ty * 8 + r) * BN + i];
            for (int c = 0; c < 8; c++) y[c] = b[i * BK + tx * 8 + c];
            for (int r = 0; r < 8; r++)
                for (int c = 0; c < 8; c++) sums[r][c] += x[r] * y[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++) C[(ty * 8 + r) * K + tx * 8 + c] = sums[r][c];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    block_tile_2d<<<dim3((K + BK - 1) / BK, (M + BM - 1) / BM), 256>>>(A, B, C, N, K);
}
