// 16 x 8 outputs per thread and 128 x 256 per block: fewer words from shared memory than FFMA have time for.
//
// Against 64: the thread's tile is twice as large. For each n it reads 16 + 8 words for 128 multiply-adds, six
// 128-bit reads instead of eight: 24 cycles of shared memory at 128 bytes a cycle for 32 of FFMA, where 8 x 8 outputs
// need 16 for 16. 128 sums leave no room for a second block on the SM, so the eight warps of one block must hide
// everything: operands are read one n ahead, copies run three tiles ahead, and a barrier comes once in 16 n, 2048
// FFMA per thread. A is copied as in 64.
//
// The lanes of a warp: 64 numbers them so that each 128-bit read has pairs of neighbours at the same address and is
// merged to half as many wavefronts. Here shared memory has time to spare, and such reads hold up the FFMA for
// longer: with lane l at row l % 4 and column (l / 4) ^ (l % 4) of the warp no read is merged, and it is 2.8 % faster
// on an H100.
//
// Limit: issue slots and the register file. Of the instructions of a step 2048 are FFMA, 96 read shared memory and
// about 70 copy, count and branch. An FFMA takes three operands and the register file delivers about two a cycle, so
// the order of the FFMA counts: rows outside, 8 columns back and forth within, keeps one operand from each FFMA to
// the next. With the columns outside a model of the register banks expects 6 % less.
// Source: CUTLASS and cuBLAS have this tile for large matrices; published kernels take it in steps of 8 n.
// build: least=80
#include "../common/export/gemm.h"
#include "../common/gemm/store_tile.h"
#include "../common/gemm/tile.h"
#include "../common/ptx/cp_async.h"

namespace rung_66 {

constexpr int kTileM = 128;
constexpr int kTileK = 256;
constexpr int kTileN = 16;
constexpr int kStages = 4;  // tiles in shared memory: one is multiplied, three are in flight
constexpr int kWarpM = 64;  // a warp's part of the tile
constexpr int kWarpK = 64;
constexpr int kRows = 16;  // of C per thread, in groups of 4
constexpr int kCols = 8;
constexpr int kLanesM = kWarpM / kRows;  // a warp is 4 x 8 lanes
constexpr int kLanesK = kWarpK / kCols;
constexpr int kStrideM = 4 * kLanesM;  // from one group of 4 rows to the next
constexpr int kStrideK = 4 * kLanesK;
constexpr int kThreads = kTileM / kWarpM * (kTileK / kWarpK) * 32;
constexpr int kPitchA = kTileM + 4;

struct alignas(16) Stage {
    float a[kTileN][kPitchA];
    float b[kTileN][kTileK];
};

static_assert(kLanesM == 4 && kLanesK == 8, "the numbering of the lanes below");
static_assert(kThreads == 256, "a pass of the copies of A is 8 n x 32 rows");
static_assert(kTileN % 8 == 0 && kTileM % 32 == 0, "whole passes");
static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");
static_assert(kStages * sizeof(Stage) <= 99 << 10,
              "what a block can have on the smallest of these GPUs, sm_86 and sm_89");

template <bool kVectorB>
__global__ void __launch_bounds__(kThreads, 1)
    tile128x256(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
                ladder::Epilogue epilogue, bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    extern __shared__ Stage stages[];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;

    // Past the last row or column a copy takes the last one instead: what it brings ends in sums that are not stored.
    constexpr int kPasses = kTileM / 32;
    const int a_n = thread % 8, a_row = thread / 8;
    const float* from_a[kPasses];
#pragma unroll
    for (int i = 0; i < kPasses; ++i) from_a[i] = A + (tile_row + min(a_row + 32 * i, rows - 1)) * lda + a_n;

    constexpr int kWidth = kVectorB ? 4 : 1;  // floats a copy
    constexpr int kStepB = kThreads * kWidth / kTileK;
    const int b_n = thread / (kTileK / kWidth), b_col = thread % (kTileK / kWidth) * kWidth;
    const float* from_b = B + b_n * ldb + tile_col + min(b_col, cols - kWidth);

    // Requests the next tile, which has `left` of N ahead of it. Past N there are zeros: for both operands, since in
    // one of them alone they would meet whatever the other holds, and 0 * Inf is NaN.
    ladder::AsyncCopies async;
    const auto request = [&](Stage& stage, int left) {
#pragma unroll
        for (int i = 0; i < kPasses; ++i) {
#pragma unroll
            for (int n = 0; n < kTileN; n += 8) {
                async.copy4(&stage.a[n + a_n][a_row + 32 * i], from_a[i] + n, n + a_n < left);
            }
            from_a[i] += kTileN;
        }
#pragma unroll
        for (int n = 0; n < kTileN; n += kStepB) {
            if constexpr (kVectorB) {
                async.copy16(&stage.b[n + b_n][b_col], from_b + n * ldb, n + b_n < left);
            } else {
                async.copy4(&stage.b[n + b_n][b_col], from_b + n * ldb, n + b_n < left);
            }
        }
        from_b += kTileN * ldb;
        async.commit();
    };

    // The corner of this thread's first 4 x 4 in the tile.
    const int y = warp / (kTileK / kWarpK) * kWarpM + lane % kLanesM * 4;
    const int x = warp % (kTileK / kWarpK) * kWarpK + (lane / kLanesM ^ lane % kLanesM) * 4;

    alignas(16) float a[2][kRows], b[2][kCols];  // for even and odd n
    const auto load = [&](int stage, int n) {
#pragma unroll
        for (int i = 0; i < kRows; i += 4) ladder::copy4(&a[n % 2][i], &stages[stage].a[n][y + i / 4 * kStrideM]);
#pragma unroll
        for (int j = 0; j < kCols; j += 4) ladder::copy4(&b[n % 2][j], &stages[stage].b[n][x + j / 4 * kStrideK]);
    };

    alignas(16) float sum[kRows][kCols] = {};
#pragma unroll
    for (int stage = 0; stage < kStages - 1; ++stage) request(stages[stage], N - stage * kTileN);
    async.wait<kStages - 2>();
    __syncthreads();
    load(0, 0);
    int stage = 0, free = kStages - 1;  // the stage that is multiplied, the one to be filled next
    for (int left = N; left > 0; left -= kTileN) {
#pragma unroll
        for (int n = 0; n < kTileN; ++n) {
            if (n == kTileN - 1) {
                // The next n is in the next tile: wait until it is there, and until nobody reads the one before this.
                async.wait<kStages - 2>();
                __syncthreads();
                stage = (stage + 1) % kStages;
            }
            load(stage, (n + 1) % kTileN);
            if (n == 0) {
                request(stages[free], left - (kStages - 1) * kTileN);
                free = stage;  // by then
            }
#pragma unroll
            for (int i = 0; i < kRows; ++i) {
#pragma unroll
                for (int step = 0; step < kCols; ++step) {
                    const int j = i % 2 ? kCols - 1 - step : step;
                    sum[i][j] += a[n % 2][i] * b[n % 2][j];
                }
            }
        }
    }

    ladder::store_tile<kStrideM, kStrideK>(C, ldc, tile_row, tile_col, rows, cols, y, x, sum, epilogue, vector_c);
}

inline void multiply(const ladder::Gemm& gemm) {
    const auto kernel = gemm.vector_b() ? tile128x256<true> : tile128x256<false>;
    const int shared = kStages * sizeof(Stage);  // more than 48 KB: a kernel must ask for it
    ladder::allow_shared(kernel, shared);
    ladder::for_each_slab(gemm.M, kTileM, [&](int64_t row, int rows) {
        const dim3 grid(ladder::ceil_div(gemm.K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, kThreads, shared, gemm.stream>>>(gemm.A + row * gemm.lda, gemm.lda, gemm.B, gemm.ldb,
                                                        gemm.C + row * gemm.ldc, gemm.ldc, rows, gemm.N, gemm.K,
                                                        ladder::Epilogue{gemm.alpha, gemm.beta}, gemm.vector_c());
    });
}

}  // namespace rung_66

SOLVE_EXPORT_GEMM(rung_66::multiply, .summary = "16x8 outputs per thread, 128x256x16 tiles, 4-stage cp.async",
                  .source = "CUTLASS and cuBLAS (the tile for large matrices)", .minimum_compute_capability = 80)
