// Tiles travel to shared memory by asynchronous copies (cp.async), three of them ahead of the one that is multiplied.
//
// Against 60: a tile no longer waits in registers between the load from global memory and the store to shared memory.
// That frees 8 registers per thread and saves the stores, and it removes the reason for fetching only one tile ahead:
// a ring of four tiles (a pipeline of four stages) gives global memory the time of three, 3 x 512 FFMA per thread, to
// answer. The order within a step: wait for the next tile, one barrier, and only then ask for the tile that overwrites
// the oldest, the one whose last words everybody read before that barrier.
//
// A lies as [n][row] in shared memory although its rows run along n: each word is a copy of its own, which also makes
// the copies of A indifferent to alignment. A warp copies 4 rows x 8 words, whole sectors of 32 bytes, to the words
// 132 n + row: banks 4 n + row, all different.
//
// Limit: as for 60, shared memory, read 16 cycles for every 16 of FFMA if each lane's words count.
// Source: CUTLASS and cuBLAS, whose FP32 kernels for Ampere are built like this. On older GPUs this rung is refused.
// build: least=80
#include "../common/export/gemm.h"
#include "../common/gemm/store_tile.h"
#include "../common/gemm/tile.h"
#include "../common/ptx/cp_async.h"

namespace rung_64 {

constexpr int kTileM = 128;
constexpr int kTileK = 128;
constexpr int kTileN = 8;
constexpr int kStages = 4;  // tiles in shared memory: one is multiplied, three are in flight
constexpr int kWarpM = 32;  // a warp's part of the tile
constexpr int kWarpK = 64;
constexpr int kPerThread = 8;                 // rows and columns of C per thread: two groups of 4
constexpr int kLanesM = kWarpM / kPerThread;  // a warp is 4 x 8 lanes
constexpr int kLanesK = kWarpK / kPerThread;
constexpr int kStrideM = 4 * kLanesM;  // from one group of 4 rows to the next
constexpr int kStrideK = 4 * kLanesK;
constexpr int kThreads = kTileM / kWarpM * (kTileK / kWarpK) * 32;
constexpr int kPitchA = kTileM + 4;

struct alignas(16) Stage {
    float a[kTileN][kPitchA];
    float b[kTileN][kTileK];
};

static_assert(kLanesM == 4 && kLanesK == 8, "the numbering of the lanes below");
static_assert(kThreads == 256 && kTileN == 8, "a pass of the copies of A is 8 n x 32 rows");
static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");
static_assert(kStages * sizeof(Stage) <= 48 << 10, "what a block can have without asking for more");

// This block's tile of C = epilogue of A * B, where the sums are over n_count of N from n_begin on (68 cuts N).
template <bool kVectorB>
__device__ __forceinline__ void multiply_tile(Stage (&stages)[kStages], const float* A, int64_t lda, const float* B,
                                              int64_t ldb, float* C, int64_t ldc, int M, int n_begin, int n_count,
                                              int K, const ladder::Epilogue& epilogue, bool vector_c) {
    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;

    const int a_n = thread % 8, a_row = thread / 8;
    const float* from_a = A + (tile_row + a_row) * lda + n_begin + a_n;

    constexpr int kWidth = kVectorB ? 4 : 1;  // floats a copy
    constexpr int kStepB = kThreads * kWidth / kTileK;
    const int b_n = thread / (kTileK / kWidth), b_col = thread % (kTileK / kWidth) * kWidth;
    const float* from_b = B + (n_begin + b_n) * ldb + tile_col + b_col;

    // Requests the next tile, which has `left` of N ahead of it. What lies outside of a matrix arrives as zeros.
    ladder::AsyncCopies async;
    const auto request = [&](Stage& stage, int left) {
#pragma unroll
        for (int i = 0; i < kTileM; i += 32) {
            async.copy4(&stage.a[a_n][a_row + i], from_a + i * lda, a_row + i < rows && a_n < left);
        }
        from_a += kTileN;
#pragma unroll
        for (int n = 0; n < kTileN; n += kStepB) {
            const bool inside = n + b_n < left && b_col < cols;
            if constexpr (kVectorB) {
                async.copy16(&stage.b[n + b_n][b_col], from_b + n * ldb, inside);
            } else {
                async.copy4(&stage.b[n + b_n][b_col], from_b + n * ldb, inside);
            }
        }
        from_b += kTileN * ldb;
        async.commit();
    };

    // The corner of this thread's first 4 x 4 in the tile.
    const int y = warp / (kTileK / kWarpK) * kWarpM + lane / 2 % kLanesM * 4;
    const int x = warp % (kTileK / kWarpK) * kWarpK + (lane / 8 * 2 + lane % 2) * 4;

    alignas(16) float a[2][kPerThread], b[2][kPerThread];  // for even and odd n
    const auto load = [&](int stage, int n) {
#pragma unroll
        for (int i = 0; i < kPerThread; i += 4) ladder::copy4(&a[n % 2][i], &stages[stage].a[n][y + i / 4 * kStrideM]);
#pragma unroll
        for (int j = 0; j < kPerThread; j += 4) ladder::copy4(&b[n % 2][j], &stages[stage].b[n][x + j / 4 * kStrideK]);
    };

    alignas(16) float sum[kPerThread][kPerThread] = {};
#pragma unroll
    for (int stage = 0; stage < kStages - 1; ++stage) request(stages[stage], n_count - stage * kTileN);
    async.wait<kStages - 2>();
    __syncthreads();
    load(0, 0);
    int stage = 0, free = kStages - 1;  // the stage that is multiplied, the one to be filled next
#pragma unroll kStages                  // stage is then a constant in each copy, and part of the addresses
    for (int left = n_count; left > 0; left -= kTileN) {
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

// 2 blocks per SM: 65536 registers / 512 threads leave 128 for a thread, of which 64 are sums and 32 operands.
template <bool kVectorB>
__global__ void __launch_bounds__(kThreads, 2)
    async_copy(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
               ladder::Epilogue epilogue, bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    __shared__ Stage stages[kStages];
    multiply_tile<kVectorB>(stages, A, lda, B, ldb, C, ldc, M, 0, N, K, epilogue, vector_c);
}

inline void multiply(const ladder::Gemm& gemm) {
    const auto kernel = gemm.vector_b() ? async_copy<true> : async_copy<false>;
    ladder::for_each_slab(gemm.M, kTileM, [&](int64_t row, int rows) {
        const dim3 grid(ladder::ceil_div(gemm.K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, kThreads, 0, gemm.stream>>>(gemm.A + row * gemm.lda, gemm.lda, gemm.B, gemm.ldb,
                                                   gemm.C + row * gemm.ldc, gemm.ldc, rows, gemm.N, gemm.K,
                                                   ladder::Epilogue{gemm.alpha, gemm.beta}, gemm.vector_c());
    });
}

}  // namespace rung_64

SOLVE_EXPORT_GEMM(rung_64::multiply, .summary = "60 with a 4-stage cp.async pipeline",
                  .source = "CUTLASS and cuBLAS (cp.async pipelines)", .minimum_compute_capability = 80)
