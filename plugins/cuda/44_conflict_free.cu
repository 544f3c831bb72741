// 40 with each thread's 8 x 8 split into four 4 x 4 quadrants half a tile from each other, so that no read has a
// conflict.
//
// Against 40: only which rows and columns a thread owns. Shared memory serves a 128-bit read eight lanes at a time,
// in one cycle if their 32 words lie in 32 different banks. In 40 neighbouring lanes read B with a stride of 8 words:
// eight lanes span 64 words, lanes 0 and 4 meet in bank 0, and every read of B takes 8 cycles for 4. Here a thread's
// columns are 4x to 4x + 3 and 64 + 4x to 64 + 4x + 3: a stride of 4 words, and eight lanes cover each bank once. A's
// reads had no conflict (a warp holds two y, whose words 4y and 4y + 4 differ in bank); its rows are split to keep
// C's stores alike: a row of a quadrant leaves as 16 lanes x 16 bytes, contiguous, where 40's lanes leave gaps of 16
// bytes.
//
// Limit: shared memory and arithmetic are level. A warp's 16 words per lane for one n take 16 cycles at 128 bytes a
// cycle (40: 24), as its 64 FFMA do on four schedulers. And all threads wait for global memory between the two
// barriers.
// Source: OK V3, FT v6. FT's is launched with more threads than the registers allow: nothing ran, and its table shows
// 0.0000 ms and an error of 1.7e3 without comment.
#include "../common/gemm/tile.h"

namespace rung_44 {

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
    conflict_free(const float* A, const float* B, float* C, int M, int N, int K, bool vector_c) {
    __shared__ alignas(16) float tile_a[kTileN][kPitchA];
    __shared__ alignas(16) float tile_b[kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    const int y = 4 * threadIdx.y, x = 4 * threadIdx.x;  // the corner of this thread's first 4 x 4 in the tile

    alignas(16) float sum[kPerThread][kPerThread] = {};
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
#pragma unroll
            for (int i = 0; i < kPerThread; i += 4) ladder::copy4(&a[i], &tile_a[n][y + i / 4 * kStrideM]);
#pragma unroll
            for (int j = 0; j < kPerThread; j += 4) ladder::copy4(&b[j], &tile_b[n][x + j / 4 * kStrideK]);
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
    const auto kernel = vector_a ? (vector_b ? conflict_free<true, true> : conflict_free<true, false>)
                                 : (vector_b ? conflict_free<false, true> : conflict_free<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K, vector_c);
    });
}

}  // namespace rung_44

SOLVE_EXPORT(rung_44::multiply, .summary = "40 with the 8x8 outputs as four quadrants: no bank conflicts",
             .source = "OK V3, FT v6")
