// The tiles of 20 with a quarter of the threads: each computes 2 x 2 elements of C, with a stride of a block's width.
//
// Against 20: 16 x 16 threads for the same 32 x 32 tiles. The work is the same, but a barrier stops 8 warps, not 32,
// while the other blocks of the SM go on: eight blocks fit into the 2048 threads of an H100's SM, where 20 has two.
// And each thread has four sums of its own that do not wait for each other.
//
// Limit: shared memory, as for 20: each of the four sums is an inner product that reads its words again, 2 for one
// multiply-add. A warp is now two y and 16 x, and where it fills a tile, its two rows of 16 words have a stride of 32
// words and so the same banks: each of the 262,144 stores at 512 takes two cycles (host/results/h200_counters.md). The
// reads of A, two words in one bank, do not: nvcc reads four n at once, and such a read goes by half warps, one y
// each.
// Source: CS v3, for sizes that its tiles divide.
#include "../common/export/launch.h"

namespace rung_24 {

constexpr int kTile = 32;     // of A, B and C
constexpr int kThreads = 16;  // in each direction
constexpr int kPerThread = kTile / kThreads;

static_assert(kTile % kThreads == 0, "a thread's elements have a stride of a block's width");

__global__ void __launch_bounds__(kThreads* kThreads)
    more_work(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile];

    const int x = threadIdx.x, y = threadIdx.y;
    const int tile_row = blockIdx.y * kTile, tile_col = blockIdx.x * kTile;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on
    const float* a = A + size_t(tile_row) * N;
    const float* b = B + tile_col;

    float sum[kPerThread][kPerThread] = {};
    for (int left = N; left > 0; left -= kTile) {
#pragma unroll
        for (int p = 0; p < kPerThread * kPerThread; ++p) {
            const int i = y + p / kPerThread * kThreads, j = x + p % kPerThread * kThreads;
            // Past an edge both tiles hold 0: with garbage in one of them, 0 * Inf would put NaN into the sum.
            tile_a[i][j] = i < rows && j < left ? a[size_t(i) * N + j] : 0.0f;
            tile_b[i][j] = i < left && j < cols ? b[size_t(i) * K + j] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) {
#pragma unroll 8  // in full, nvcc would share the words between the four sums: that is 28
                for (int n = 0; n < kTile; ++n) {
                    sum[i][j] += tile_a[y + i * kThreads][n] * tile_b[n][x + j * kThreads];
                }
            }
        }
        __syncthreads();
        a += kTile;
        b += size_t(kTile) * K;
    }

#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) {
            const int row = y + i * kThreads, col = x + j * kThreads;
            if (row < rows && col < cols) C[size_t(tile_row + row) * K + tile_col + col] = sum[i][j];
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 block(kThreads, kThreads);
    ladder::for_each_slab(M, kTile, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTile), ladder::ceil_div(rows, kTile));
        more_work<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_24

SOLVE_EXPORT(rung_24::multiply, .summary = "20 with 2x2 outputs per thread", .source = "CS v3")
