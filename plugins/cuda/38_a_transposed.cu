// A lies transposed in shared memory, so that its four words are one 128-bit read as well. The store pays for it.
//
// Against 36: the four words of A that a thread needs for one n stand below each other in A; transposed they are
// contiguous. Two 128-bit reads for 16 multiply-adds, and A's have no conflict: a warp's two y are 8 neighbouring
// words. But the four words that a thread fetches at once belong to four different n, so they are stored one by one,
// to rows of 64 words. Of a warp 16 lanes have the same row of A and 16 different groups of n: their words are all in
// one bank, those of the other 16 lanes in the next. Each of a warp's 16 stores a step takes 16 cycles (32 if A is
// fetched by words: 32 different n). For the 8 warps that is 2048 cycles, as long as the FFMA of the step take.
//
// Limit: those stores. Rung 40 pads the rows so that the conflict is gone.
// Source: CS v7: 118 us at 512, where its v6 takes 85. For sizes that its tiles divide.
#include "../common/gemm/tile.h"

namespace rung_38 {

constexpr int kTileM = 64;
constexpr int kTileK = 64;
constexpr int kTileN = 64;
constexpr int kPerThread = 4;  // rows and columns of C per thread
constexpr int kThreadsX = kTileK / kPerThread;
constexpr int kThreadsY = kTileM / kPerThread;
constexpr int kThreads = kThreadsX * kThreadsY;

static_assert(kThreads == 256, "TilePart gives each thread 4096 / 256 = 16 floats of each tile: four 128-bit loads");

template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads)
    a_transposed(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ alignas(16) float tile_a[kTileN][kTileM];
    __shared__ alignas(16) float tile_b[kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    const int x = kPerThread * threadIdx.x, y = kPerThread * threadIdx.y;

    float sum[kPerThread][kPerThread] = {};
    for (int left = N; left > 0; left -= kTileN) {
        part_a.fetch(rows, left, kTileN);
        part_b.fetch(left, cols, size_t(kTileN) * K);
#pragma unroll
        for (int i = 0; i < part_a.kCount; ++i) tile_a[part_a.col(i)][part_a.row(i)] = part_a.value[i];
#pragma unroll
        for (int i = 0; i < part_b.kCount; ++i) tile_b[part_b.row(i)][part_b.col(i)] = part_b.value[i];
        __syncthreads();
#pragma unroll
        for (int n = 0; n < kTileN; ++n) {
            alignas(16) float a[kPerThread], b[kPerThread];
            ladder::copy4(a, &tile_a[n][y]);
            ladder::copy4(b, &tile_b[n][x]);
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
            const int row = y + i, col = x + j;
            if (row < rows && col < cols) C[size_t(tile_row + row) * K + tile_col + col] = sum[i][j];
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const bool vector_a = ladder::aligned16(A, N), vector_b = ladder::aligned16(B, K);
    const auto kernel = vector_a ? (vector_b ? a_transposed<true, true> : a_transposed<true, false>)
                                 : (vector_b ? a_transposed<false, true> : a_transposed<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_38

SOLVE_EXPORT(rung_38::multiply, .summary = "36 with A transposed in shared memory", .source = "CS v7")
