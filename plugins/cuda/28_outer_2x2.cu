// The loops exchanged: n outside, so that a word read from shared memory serves all of a thread's sums that need it.
//
// Against 26: there each of a thread's four sums is an inner product over the tile, with 2 words for one
// multiply-add. Here the thread reads, for each n, 2 words of A and 2 of B into registers and multiplies each with
// each (an outer product): 4 words for 4 multiply-adds. For that its columns are neighbours, 2x and 2x + 1, one
// 64-bit read; its rows keep their stride.
//
// Limit: still shared memory. For one n a warp's B is 2 words per lane, 2 cycles at 128 bytes a cycle; nvcc reads four
// n of A at once, 2 cycles for each n (its two y lie in the same banks, but a 128-bit read goes by half warps: no
// conflict in the counters). The FFMA of four schedulers take 1.
// Source: CS v5, for sizes that its tiles divide.
#include "../common/gemm/tile.h"

namespace rung_28 {

constexpr int kTileM = 32;
constexpr int kTileK = 32;
constexpr int kTileN = 32;
constexpr int kPerThread = 2;  // rows and columns of C per thread
constexpr int kThreadsX = kTileK / kPerThread;
constexpr int kThreadsY = kTileM / kPerThread;
constexpr int kThreads = kThreadsX * kThreadsY;

static_assert(kThreads == 256, "TilePart gives each thread 1024 / 256 = 4 floats of each tile: one 128-bit load");

template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads) outer_2x2(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ alignas(16) float tile_a[kTileM][kTileN];
    __shared__ alignas(16) float tile_b[kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    const int x = kPerThread * threadIdx.x, y = threadIdx.y;

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
            for (int j = 0; j < kPerThread; ++j) b[j] = tile_b[n][x + j];
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
            const int row = y + i * kThreadsY, col = x + j;
            if (row < rows && col < cols) C[size_t(tile_row + row) * K + tile_col + col] = sum[i][j];
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const bool vector_a = ladder::aligned16(A, N), vector_b = ladder::aligned16(B, K);
    const auto kernel = vector_a ? (vector_b ? outer_2x2<true, true> : outer_2x2<true, false>)
                                 : (vector_b ? outer_2x2<false, true> : outer_2x2<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_28

SOLVE_EXPORT(rung_28::multiply, .summary = "2x2 outputs per thread as an outer product in registers", .source = "CS v5")
