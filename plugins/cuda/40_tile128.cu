// Each thread computes 8 x 8 elements of C, a block 128 x 128, and A lies transposed in shared memory.
//
// Against 34: 8 + 8 words for 64 multiply-adds, a quarter of a word each where 34 reads half a word. The eight words
// of A that a thread needs for one n stand below each other in A; stored transposed they are contiguous, so both
// fragments are two 128-bit reads, and C leaves by 128-bit stores where its rows allow it.
//
// Limit: shared memory once more. At 128 bytes a cycle 16 words per lane take 16 cycles, as long as the 64 FFMA on four
// schedulers; but a warp's reads of B step by 8 words, so lanes 0 and 4 (words 0 and 32) meet in one bank and these
// take twice as long. And all threads wait for global memory between the two barriers.
// Source: NB 5 and 6, OK V2 (which does not transpose A), FT v7. NB takes M, N, K in another order than it is called
// with, so only square products are right, and only if N and K are multiples of 4.
#include "../common/gemm/tile.h"

namespace rung_40 {

constexpr int kTileM = 128;
constexpr int kTileK = 128;
constexpr int kTileN = 8;
constexpr int kPerThread = 8;  // rows and columns of C per thread
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
    tile128(const float* A, const float* B, float* C, int M, int N, int K, bool vector_c) {
    __shared__ alignas(16) float tile_a[kTileN][kPitchA];
    __shared__ alignas(16) float tile_b[kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    const int y = kPerThread * threadIdx.y, x = kPerThread * threadIdx.x;  // this thread's corner in the tile

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
            for (int i = 0; i < kPerThread; i += 4) ladder::copy4(&a[i], &tile_a[n][y + i]);
#pragma unroll
            for (int j = 0; j < kPerThread; j += 4) ladder::copy4(&b[j], &tile_b[n][x + j]);
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
        float* c = C + size_t(tile_row + y + i) * K + tile_col + x;
        if (y + i >= rows) break;
        if (vector_c) {
#pragma unroll
            for (int j = 0; j < kPerThread; j += 4) {
                if (x + j < cols) ladder::copy4(&c[j], &sum[i][j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) {
                if (x + j < cols) c[j] = sum[i][j];
            }
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const bool vector_a = ladder::aligned16(A, N), vector_b = ladder::aligned16(B, K);
    const bool vector_c = ladder::aligned16(C, K);
    const auto kernel = vector_a ? (vector_b ? tile128<true, true> : tile128<true, false>)
                                 : (vector_b ? tile128<false, true> : tile128<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K, vector_c);
    });
}

}  // namespace rung_40

SOLVE_EXPORT(rung_40::multiply, .summary = "8x8 outputs per thread, A transposed, 128x128x8 tiles",
             .source = "NB 5, NB 6, OK V2, FT v7")
