// 24 with tiles fetched four words at a time.
//
// Against 24: a thread fetches four neighbouring words of each tile with one 128-bit load and stores them with one,
// not four of either: 2 + 2 instructions a step instead of 8 + 8, and their addresses. 24's conflicts of stores are
// gone: eight lanes store a row of 32 words. The sectors fetched are the same. It is legal where every row starts at
// a multiple of 16 bytes, decided for A and B separately; other rows are fetched by words.
//
// Limit: as for 24, shared memory on the reading side, 2 words for one multiply-add. So little is gained: in CS's
// table nothing (204 us without, 210 with, at 512).
// Source: CS v4, FT v5. There unaligned rows fault.
#include "../common/gemm/tile.h"

namespace rung_26 {

constexpr int kTileM = 32;
constexpr int kTileK = 32;
constexpr int kTileN = 32;
constexpr int kPerThread = 2;  // rows and columns of C per thread
constexpr int kThreadsX = kTileK / kPerThread;
constexpr int kThreadsY = kTileM / kPerThread;
constexpr int kThreads = kThreadsX * kThreadsY;

static_assert(kThreads == 256, "TilePart gives each thread 1024 / 256 = 4 floats of each tile: one 128-bit load");

template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads)
    float4_loads(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ alignas(16) float tile_a[kTileM][kTileN];
    __shared__ alignas(16) float tile_b[kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    const int x = threadIdx.x, y = threadIdx.y;  // this thread's elements have a stride of a block's width

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
        for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) {
#pragma unroll 8  // in full, nvcc would share the words between the four sums: that is 28
                for (int n = 0; n < kTileN; ++n) {
                    sum[i][j] += tile_a[y + i * kThreadsY][n] * tile_b[n][x + j * kThreadsX];
                }
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
    const bool vector_a = ladder::aligned16(A, N), vector_b = ladder::aligned16(B, K);
    const auto kernel = vector_a ? (vector_b ? float4_loads<true, true> : float4_loads<true, false>)
                                 : (vector_b ? float4_loads<false, true> : float4_loads<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_26

SOLVE_EXPORT(rung_26::multiply, .summary = "24 with 128-bit global loads", .source = "CS v4, FT v5")
