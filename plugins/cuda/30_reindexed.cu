// 4 x 4 outputs per thread and 128 x 128 per block; for loading, the threads are numbered differently.
//
// Against 28: the tile is four times as wide, so a fetched word serves 128 multiply-adds, and a thread reads 8 words
// for 16 of them, not 4 for 4. A's tile is now 128 x 8 and B's 8 x 128, and the 32 x 32 threads fit neither shape. So
// for loading they are one row of 1024: thread t fetches A's element (t / 8, t % 8) and B's (t / 128, t % 128). A
// warp then fetches 4 rows x 32 bytes of A, whole sectors, and 128 bytes of B. It is one word each: with 1024 threads
// there is no more to fetch, so 128-bit loads have no place here.
//
// Limit: a warp is one y and 32 x: it reads A's words as broadcasts, four n at once, and each of B's 4 words in one
// cycle. By words per lane that is 8 cycles for 4 of FFMA. And a block of 1024 threads with 64 registers each is the
// only one per SM: a barrier stops everything.
// Source: FT v4. Its guard of the store to C tests the wrong index.
#include "../common/gemm/tile.h"

namespace rung_30 {

constexpr int kTileM = 128;
constexpr int kTileK = 128;
constexpr int kTileN = 8;
constexpr int kPerThread = 4;  // rows and columns of C per thread
constexpr int kThreadsX = kTileK / kPerThread;
constexpr int kThreadsY = kTileM / kPerThread;
constexpr int kThreads = kThreadsX * kThreadsY;

static_assert(kThreads == 1024 && kTileM * kTileN == kThreads && kTileN * kTileK == kThreads,
              "every thread fetches one word of each tile");

__global__ void __launch_bounds__(kThreads) reindexed(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ alignas(16) float tile_a[kTileM][kTileN];
    __shared__ alignas(16) float tile_b[kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, false> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, false> part_b(thread, B + tile_col, K);

    // A stride of 32 in rows and columns: a warp's 32 words of B are neighbours, and its stores to C whole lines.
    const int x = threadIdx.x, y = threadIdx.y;

    float sum[kPerThread][kPerThread] = {};
    for (int left = N; left > 0; left -= kTileN) {
        part_a.fetch(rows, left, kTileN);
        part_b.fetch(left, cols, size_t(kTileN) * K);
#pragma unroll
        for (int i = 0; i < part_a.kCount; ++i) tile_a[part_a.row(i)][part_a.col(i)] = part_a.value[i];
#pragma unroll
        for (int i = 0; i < part_b.kCount; ++i) tile_b[part_b.row(i)][part_b.col(i)] = part_b.value[i];
        __syncthreads();
#pragma unroll
        for (int n = 0; n < kTileN; ++n) {
            float a[kPerThread], b[kPerThread];
#pragma unroll
            for (int i = 0; i < kPerThread; ++i) a[i] = tile_a[y + i * kThreadsY][n];
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) b[j] = tile_b[n][x + j * kThreadsX];
#pragma unroll
            for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
                for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * b[j];
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) {
            const int row = y + i * kThreadsY, col = x + j * kThreadsX;
            if (row < rows && col < cols) C[size_t(tile_row + row) * K + tile_col + col] = sum[i][j];
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        reindexed<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_30

SOLVE_EXPORT(rung_30::multiply, .summary = "4x4 outputs per thread, 128x128x8 tiles, threads renumbered for loading",
             .source = "FT v4")
