// A level between block and thread: each warp owns a 32 x 64 part of the tile, its warp tile, and its next words of A
// and B are read from shared memory while the present ones are multiplied.
//
// Against 50, three changes to how a tile is multiplied. (1) There a warp is two y and all 16 x: 16 rows by 128
// columns, so it reads 16 + 128 = 144 different words for each n. As 4 x 8 lanes it owns 32 by 64 and reads 96 for as
// many multiply-adds. (2) The words for n + 1 are requested before the multiplications of n, so that the roughly 30
// cycles of a read pass behind them; for the last n of a tile that is n = 0 of the next, past the barrier. (3) The
// products go back and forth through the columns, so that one operand of every FFMA is one of the previous FFMA too:
// the register file, which serves about two operands a cycle, is asked for a and sum or for b and sum, not for all
// three.
//
// Limit: shared memory, less tightly. Counted by the words that lanes receive it is 16 cycles for 16 of FFMA as in
// 44; counted by different words 3. The lanes are numbered so that i and i ^ 1 read the same words of A, i and i ^ 2
// the same of B: such reads are merged to half as many wavefronts.
// Source: CUTLASS (warp tiles). Published warp-tiling kernels need sizes that their tiles divide.
#include "../common/export/gemm.h"
#include "../common/gemm/store_tile.h"
#include "../common/gemm/tile.h"

namespace rung_60 {

constexpr int kTileM = 128;
constexpr int kTileK = 128;
constexpr int kTileN = 8;
constexpr int kWarpM = 32;  // a warp's part of the tile
constexpr int kWarpK = 64;
constexpr int kPerThread = 8;                 // rows and columns of C per thread: two groups of 4
constexpr int kLanesM = kWarpM / kPerThread;  // a warp is 4 x 8 lanes
constexpr int kLanesK = kWarpK / kPerThread;
constexpr int kStrideM = 4 * kLanesM;  // from one group of 4 rows to the next
constexpr int kStrideK = 4 * kLanesK;
constexpr int kThreads = kTileM / kWarpM * (kTileK / kWarpK) * 32;

constexpr int kPitchA = kTileM + 4;  // as in 40: the transposed stores of A then have no bank conflicts

static_assert(kLanesM == 4 && kLanesK == 8, "the numbering of the lanes below");
static_assert(kThreads == 256, "TilePart gives each thread 1024 / 256 = 4 floats of each tile: one 128-bit load");
static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");

// 2 blocks per SM: 65536 registers / 512 threads leave 128 for a thread, of which 64 are sums and 32 operands.
template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads, 2)
    warp_tile(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
              ladder::Epilogue epilogue, bool vector_c) {
    __shared__ alignas(16) float tile_a[2][kTileN][kPitchA];
    __shared__ alignas(16) float tile_b[2][kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + tile_row * lda, lda);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, ldb);

    // The corner of this thread's first 4 x 4 in the tile.
    const int y = warp / (kTileK / kWarpK) * kWarpM + lane / 2 % kLanesM * 4;
    const int x = warp % (kTileK / kWarpK) * kWarpK + (lane / 8 * 2 + lane % 2) * 4;

    int buffer = 0;
    const auto store = [&] {
#pragma unroll
        for (int i = 0; i < part_a.kCount; ++i) tile_a[buffer][part_a.col(i)][part_a.row(i)] = part_a.value[i];
#pragma unroll
        for (int i = 0; i < part_b.kCount; ++i) tile_b[buffer][part_b.row(i)][part_b.col(i)] = part_b.value[i];
    };

    alignas(16) float a[2][kPerThread], b[2][kPerThread];  // for even and odd n
    const auto load = [&](int n) {
#pragma unroll
        for (int i = 0; i < kPerThread; i += 4) ladder::copy4(&a[n % 2][i], &tile_a[buffer][n][y + i / 4 * kStrideM]);
#pragma unroll
        for (int j = 0; j < kPerThread; j += 4) ladder::copy4(&b[n % 2][j], &tile_b[buffer][n][x + j / 4 * kStrideK]);
    };

    alignas(16) float sum[kPerThread][kPerThread] = {};
    part_a.fetch(rows, N, kTileN);
    part_b.fetch(N, cols, kTileN * ldb);
    store();
    __syncthreads();
    load(0);
#pragma unroll 2  // buffer is then a constant in each copy, and part of the addresses
    for (int left = N; left > 0; left -= kTileN) {
        part_a.fetch(rows, left - kTileN, kTileN);  // zeros, at the last step
        part_b.fetch(left - kTileN, cols, kTileN * ldb);
#pragma unroll
        for (int n = 0; n < kTileN; ++n) {
            if (n == kTileN - 1) {
                buffer ^= 1;  // nobody reads that tile: its last words were read before the last barrier
                store();
                __syncthreads();
            }
            load((n + 1) % kTileN);
#pragma unroll
            for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
                for (int step = 0; step < kPerThread; ++step) {
                    const int j = i % 2 ? kPerThread - 1 - step : step;
                    sum[i][j] += a[n % 2][i] * b[n % 2][j];
                }
            }
        }
    }

    ladder::store_tile<kStrideM, kStrideK>(C, ldc, tile_row, tile_col, rows, cols, y, x, sum, epilogue, vector_c);
}

inline void multiply(const ladder::Gemm& gemm) {
    const auto kernel = gemm.vector_a() ? (gemm.vector_b() ? warp_tile<true, true> : warp_tile<true, false>)
                                        : (gemm.vector_b() ? warp_tile<false, true> : warp_tile<false, false>);
    ladder::for_each_slab(gemm.M, kTileM, [&](int64_t row, int rows) {
        const dim3 grid(ladder::ceil_div(gemm.K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, kThreads, 0, gemm.stream>>>(gemm.A + row * gemm.lda, gemm.lda, gemm.B, gemm.ldb,
                                                   gemm.C + row * gemm.ldc, gemm.ldc, rows, gemm.N, gemm.K,
                                                   ladder::Epilogue{gemm.alpha, gemm.beta}, gemm.vector_c());
    });
}

}  // namespace rung_60

SOLVE_EXPORT_GEMM(rung_60::multiply,
                  .summary = "8x8 outputs per thread in 32x64 per warp, operands prefetched into registers",
                  .source = "CUTLASS (warp tiles)")
