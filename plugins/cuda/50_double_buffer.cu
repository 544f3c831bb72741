// Two shared tiles in turn (a double buffer): the next one is in flight from global memory while this one is
// multiplied.
//
// Against 44: the fetch into registers moves behind the barrier, ahead of the multiplications, which hide its roughly
// 600 cycles; and the second barrier goes. One is enough with two tiles: step s fills tile s % 2, and so does step s
// + 2, but a thread gets there only past the barrier of step s + 1, which no thread reaches before it is done with
// the multiplications of step s.
//
// Limit: shared memory, read 16 cycles for every 16 of FFMA (see 44): any jitter in either is lost time. The price is
// 8 more registers per thread and 8 KB more shared memory; both still allow two blocks per SM.
// Source: NB 7, CS v8 (without checks at the edges), FT v5 and v8.
#include "../common/gemm/tile.h"

namespace rung_50 {

constexpr int kTileM = 128;
constexpr int kTileK = 128;
constexpr int kTileN = 8;
constexpr int kPerThread = 8;  // rows and columns of C per thread: two groups of 4, half a tile from each other
constexpr int kStrideM = kTileM / 2, kStrideK = kTileK / 2;
constexpr int kThreadsX = kTileK / kPerThread;
constexpr int kThreadsY = kTileM / kPerThread;
constexpr int kThreads = kThreadsX * kThreadsY;

// Row pitch of A's transposed tile. Thread t stores its four floats in the rows 4 (t % 2) + i, column t / 2. With 128
// words a row the threads t and t + 1 would meet in bank t / 2; 4 rows of 132 words are 528 = 16 * 32 + 16, so the odd
// threads use the other 16 banks. (Single words: rows t % 8, column t / 8, bank 4 (t % 8) + t / 8: all different.)
constexpr int kPitchA = kTileM + 4;

static_assert(kThreads == 256, "TilePart gives each thread 1024 / 256 = 4 floats of each tile: one 128-bit load");
static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");

// 2 blocks per SM: 65536 registers / 512 threads leave 128 for a thread, of which 64 are sums.
template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads, 2)
    double_buffer(const float* A, const float* B, float* C, int M, int N, int K, bool vector_c) {
    __shared__ alignas(16) float tile_a[2][kTileN][kPitchA];
    __shared__ alignas(16) float tile_b[2][kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    const int y = 4 * threadIdx.y, x = 4 * threadIdx.x;  // the corner of this thread's first 4 x 4 in the tile

    alignas(16) float sum[kPerThread][kPerThread] = {};
    int buffer = 0;
    part_a.fetch(rows, N, kTileN);
    part_b.fetch(N, cols, size_t(kTileN) * K);
#pragma unroll 2  // buffer is then a constant in each copy, and part of the addresses
    for (int left = N; left > 0; left -= kTileN) {
#pragma unroll
        for (int i = 0; i < part_a.kCount; ++i) tile_a[buffer][part_a.col(i)][part_a.row(i)] = part_a.value[i];
#pragma unroll
        for (int i = 0; i < part_b.kCount; ++i) tile_b[buffer][part_b.row(i)][part_b.col(i)] = part_b.value[i];
        __syncthreads();
        part_a.fetch(rows, left - kTileN, kTileN);  // nothing, at the last step
        part_b.fetch(left - kTileN, cols, size_t(kTileN) * K);
#pragma unroll
        for (int n = 0; n < kTileN; ++n) {
            alignas(16) float a[kPerThread], b[kPerThread];
#pragma unroll
            for (int i = 0; i < kPerThread; i += 4) ladder::copy4(&a[i], &tile_a[buffer][n][y + i / 4 * kStrideM]);
#pragma unroll
            for (int j = 0; j < kPerThread; j += 4) ladder::copy4(&b[j], &tile_b[buffer][n][x + j / 4 * kStrideK]);
#pragma unroll
            for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
                for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * b[j];
            }
        }
        buffer ^= 1;
    }

#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        const int row = y + i / 4 * kStrideM + i % 4;
        if (row >= rows) break;
        float* c = C + size_t(tile_row + row) * K + tile_col + x;
        if (vector_c) {
#pragma unroll
            for (int j = 0; j < kPerThread; j += 4) {
                const int col = j / 4 * kStrideK;
                if (x + col < cols) ladder::copy4(&c[col], &sum[i][j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) {
                const int col = j / 4 * kStrideK + j % 4;
                if (x + col < cols) c[col] = sum[i][j];
            }
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const bool vector_a = ladder::aligned16(A, N), vector_b = ladder::aligned16(B, K);
    const bool vector_c = ladder::aligned16(C, K);
    const auto kernel = vector_a ? (vector_b ? double_buffer<true, true> : double_buffer<true, false>)
                                 : (vector_b ? double_buffer<false, true> : double_buffer<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K, vector_c);
    });
}

}  // namespace rung_50

SOLVE_EXPORT(rung_50::multiply, .summary = "44 with two shared tiles and the next one prefetched",
             .source = "NB 7, CS v8, FT v5, FT v8")
