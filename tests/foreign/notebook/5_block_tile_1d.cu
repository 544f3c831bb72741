// expect: limited
// says: right where M, K are multiples of 64 and N of 8;
// 64 x 64 a block, a column of 8 a thread.
#include <cuda_runtime.h>

__global__ void block_tile_1d(const float* A, const float* B, float* C, int N, int K) {
    __shared__ float a[64 * 8], b[8 * 64];
    int tx = threadIdx.x % 64, ty = threadIdx.x / 64;
    int a_row = threadIdx.x / 8, a_col = threadIdx.x % 8;
    A += blockIdx.y * 64 * N;
    B += blockIdx.x * 64;
    C += blockIdx.y * 64 * K + blockIdx.x * 64;
    float sums[8] = {0};
    for (int n = 0; n < N; n += 8) {
        a[a_row * 8 + a_col] = A[a_row * N + n + a_col];
        b[ty * 64 + tx] = B[(n + ty) * K + tx];
        __syncthreads();
        for (int i = 0; i < 8; i++) {
            float value = b[i * 64 + tx];
            for (int r = 0; r < 8; r++) sums[r] += a[(ty * 8 + r) * 8 + i] * value;
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++) C[(ty * 8 + r) * K + tx] = sums[r];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    block_tile_1d<<<dim3((K + 63) / 64, (M + 63) / 64), 512>>>(A, B, C, N, K);
}
