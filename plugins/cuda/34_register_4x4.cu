// Register blocking: each thread computes 4 x 4 elements of C and keeps their sums in registers.
//
// Against 20: there a thread reads two words from shared memory for one multiply-add. Here it reads 4 of A and 4 of B
// and combines each with each (an outer product): 8 words for 16 multiply-adds, a quarter as many each. A block of 16
// x 16 threads then owns 64 x 64 elements of C, so a fetched word also serves 64 multiply-adds, not 32. Tiles are
// fetched with 128-bit loads where the rows allow it, for A and B separately.
//
// Limit: still shared memory. A warp's share of one n is 8 words per lane, 8 cycles at 128 bytes a cycle, for 16 FFMA,
// which four schedulers issue in 4: at best half of the FP32 peak. Nothing overlaps the fetch of the next tile but
// other blocks of the same SM.
// Source: NB 4 and 4_1. There a tile past the edge keeps what the step before left in it, and float4 loads of rows
// that are not aligned fault; here such parts are zero and such rows are loaded by words.
#include "../common/gemm/tile.h"

namespace rung_34 {

constexpr int kTileM = 64;
constexpr int kTileK = 64;
constexpr int kTileN = 16;
constexpr int kPerThread = 4;  // rows and columns of C per thread
constexpr int kThreadsX = kTileK / kPerThread;
constexpr int kThreadsY = kTileM / kPerThread;
constexpr int kThreads = kThreadsX * kThreadsY;

static_assert(kThreads == 256, "TilePart gives each thread 1024 / 256 = 4 floats of each tile: one 128-bit load");

template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads)
    register_4x4(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ alignas(16) float tile_a[kTileM][kTileN];
    __shared__ alignas(16) float tile_b[kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    // This thread's rows of the tile are y, y + 16, y + 32, y + 48. A warp holds two neighbouring y, so its two words
    // of A have a stride of 16 words, in different banks; with the rows 4y to 4y + 3 it would be 64, in the same one.
    // Its columns are 4x to 4x + 3: nvcc reads them, and four n of A, with one 128-bit instruction each.
    const int y = threadIdx.y, x = kPerThread * threadIdx.x;

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
        const int row = y + i * kThreadsY;
        float* c = C + size_t(tile_row + row) * K + tile_col + x;
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) {
            if (row < rows && x + j < cols) c[j] = sum[i][j];
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const bool vector_a = ladder::aligned16(A, N), vector_b = ladder::aligned16(B, K);
    const auto kernel = vector_a ? (vector_b ? register_4x4<true, true> : register_4x4<true, false>)
                                 : (vector_b ? register_4x4<false, true> : register_4x4<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_34

SOLVE_EXPORT(rung_34::multiply, .summary = "4x4 outputs per thread in registers, 64x64x16 tiles",
             .source = "NB 4, NB 4_1")
