// Each thread computes 4 x 4 elements of C straight from global memory.
//
// Against 10: for one n a thread loads 4 words of A and 4 of B and combines each with each: 8 loads for 16
// multiply-adds, where 10 needs 2 for 1. A thread's rows and columns have a stride of 16, so that the warp's loads
// look as in 10: 2 sectors for each word of A, 2 for each of B. (With four neighbouring columns per thread, each of
// the four loads of B would touch all 8 sectors of the warp's 256 bytes.)
//
// Limit: the load units and the L1 cache: a load instruction for every two FFMA, and every thread of the block asks
// L1 for the same words again. No thread waits for another, but each waits for its loads.
// Source: FT v3. In its table this is slower than v1 (24.7 and 16.5 ms at 1024 on an A100).
#include "../common/export/launch.h"

namespace rung_14 {

constexpr int kThreadsX = 16;
constexpr int kThreadsY = 16;
constexpr int kPerThread = 4;  // rows and columns of C per thread
constexpr int kTileM = kThreadsY * kPerThread;
constexpr int kTileK = kThreadsX * kPerThread;

static_assert(kThreadsX % 16 == 0, "a warp's 16 neighbouring columns are two whole sectors");

__global__ void __launch_bounds__(kThreadsX* kThreadsY)
    thread_tile(const float* A, const float* B, float* C, int M, int N, int K) {
    const int row = blockIdx.y * kTileM + threadIdx.y;
    const int col = blockIdx.x * kTileK + threadIdx.x;

    // Past the last row or column the last one is read instead: the sums that it goes into are not stored.
    const float *from_a[kPerThread], *from_b[kPerThread];
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) from_a[i] = A + size_t(min(row + i * kThreadsY, M - 1)) * N;
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) from_b[j] = B + min(col + j * kThreadsX, K - 1);

    float sum[kPerThread][kPerThread] = {};
    for (int n = 0; n < N; ++n) {
        float a[kPerThread], b[kPerThread];
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) a[i] = from_a[i][n];
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) b[j] = from_b[j][size_t(n) * K];
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * b[j];
        }
    }

#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        float* c = C + size_t(row + i * kThreadsY) * K;
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) {
            if (row + i * kThreadsY < M && col + j * kThreadsX < K) c[col + j * kThreadsX] = sum[i][j];
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        thread_tile<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_14

SOLVE_EXPORT(rung_14::multiply, .summary = "4x4 outputs per thread, no shared memory", .source = "FT v3")
