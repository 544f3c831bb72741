// A block first fetches all that it needs, its strip of A and its strip of B, into shared memory.
//
// Against 10: a word of A or B is fetched from global memory once per block, and serves 32 multiply-adds from there.
// The strips are 32 rows of A and 32 columns of B over all of N, 256 N bytes. What does not fit is taken in pieces,
// as long as the GPU lets a block have shared memory: 227 KB on an H100 are N = 908, 64 KB on a T4 are 256. More than
// 48 KB must be asked for (cudaFuncSetAttribute).
//
// Limit: occupancy, then shared memory. For N >= 453 an H100 holds one block per SM, 32 of 64 possible warps; while
// that block fetches, nothing on the SM multiplies. And each FFMA takes two reads, one word of A for all lanes and 32
// neighbouring words of B, at one read a cycle per SM: an eighth of the FP32 peak at best.
// Source: CS v1, which runs only where the strips fit: its time is for N = 256.
#include <algorithm>

#include "../common/export/launch.h"

namespace rung_16 {

constexpr int kTile = 32;  // rows and columns of C a block

static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");

__global__ void __launch_bounds__(kTile* kTile)
    whole_strip(const float* A, const float* B, float* C, int M, int N, int K, int length) {
    extern __shared__ float strips[];
    float* const strip_a = strips;                   // [kTile][length]
    float* const strip_b = strips + kTile * length;  // [length][kTile]

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y;
    const int col = blockIdx.x * kTile + x;
    const float* a = A + size_t(row) * N;
    const float* b = B + col;

    float sum = 0.0f;
    for (int left = N; left > 0; left -= length) {
        const int count = min(length, left);
        for (int n = x; n < count; n += kTile) strip_a[y * length + n] = row < M ? a[n] : 0.0f;
        for (int n = y; n < count; n += kTile) strip_b[n * kTile + x] = col < K ? b[size_t(n) * K] : 0.0f;
        __syncthreads();
#pragma unroll 4
        for (int n = 0; n < count; ++n) sum += strip_a[y * length + n] * strip_b[n * kTile + x];
        __syncthreads();
        a += length;
        b += size_t(length) * K;
    }
    if (row < M && col < K) C[size_t(row) * K + col] = sum;
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    int device = 0, shared = 48 << 10;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);

    constexpr int kBytes = 2 * kTile * sizeof(float);         // for one n
    const int length = std::min(N, shared / kBytes / 4 * 4);  // a multiple of 4, or all of N
    cudaFuncSetAttribute(whole_strip, cudaFuncAttributeMaxDynamicSharedMemorySize, length * kBytes);
    const dim3 block(kTile, kTile);
    ladder::for_each_slab(M, kTile, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTile), ladder::ceil_div(rows, kTile));
        whole_strip<<<grid, block, length * kBytes>>>(A + row * N, B, C + row * K, rows, N, K, length);
    });
}

}  // namespace rung_16

SOLVE_EXPORT(rung_16::multiply, .summary = "whole strips of A and B in shared memory, as long as fit",
             .source = "CS v1")
