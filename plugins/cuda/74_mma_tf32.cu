// The tensor cores' own instruction, mma.sync m16n8k8, fed by the pipeline of 66, without wmma in between.
//
// Against 70: which thread holds which element is known here, so C goes straight from registers to memory, shared
// memory is read 8 and 16 bytes at a time, fragments are read a step ahead of their use, and tiles come by cp.async.
// Against 66: a warp's 64 x 64 outputs are 4 x 8 instructions for 8 n, where 66 needs 1024 FFMA; all else is alike.
//
// The order of a sum is free, so the instruction's n = t and t + 4 may be ours 2t and 2t + 1: lane (g, t) reads both
// from its row of A at once. The numbers of the columns are free as well: lane g takes four neighbours from a row of B,
// one for each of four instructions; in C these stand side by side again and leave as 16 bytes. With g / 2 + 4 (g % 2)
// for the group of four, the four lanes that share a row of C write 64 bytes in one piece.
//
// Shared memory has no padding but a swizzle: groups of words trade places within a row. Half a warp reads A from 4
// rows of 16 words; rows r and r + 2 would meet, so every other pair of rows swaps its halves: n ^ 8 (r / 2 % 2). A
// quarter reads B from the rows 2t, all of which start in bank 0, in two places with a stride of 16 words, 4 words a
// lane: column ^ 4t puts the rows side by side. At 128 bytes a cycle a tile of 16 n takes 512 cycles to registers and
// 192 from memory: 704 for 512 instructions, which four tensor cores do in 1024 cycles on an A100, 768 on an H100.
//
// Limit: two warps a scheduler, which often wait for its tensor core and then both round (notes/74_mma_tf32.md).
// Source: FT v10, which only names it; CUTLASS for the swizzle.
// build: least=80
#include "../common/export/gemm.h"
#include "../common/gemm/epilogue.h"
#include "../common/gemm/tile_copy.h"
#include "../common/gemm/tile_order.h"
#include "../common/ptx/cp_async.h"
#include "../common/ptx/mma.h"

namespace rung_74 {

constexpr int kTileM = 128;
constexpr int kTileK = 256;
constexpr int kTileN = 16;
constexpr int kStages = 4;  // tiles in shared memory: one is multiplied, three are in flight
constexpr int kGroup = 16;  // rows of tiles in a group, see tile_order.h
constexpr int kWarpM = 64;  // a warp's part of the tile: 4 x 8 of the instruction's 16 x 8
constexpr int kWarpK = 64;
constexpr int kFragmentsM = kWarpM / 16;
constexpr int kFragmentsK = kWarpK / 8;
constexpr int kParts = kFragmentsM + kFragmentsK / 2;  // groups of four operands per thread and step
constexpr int kThreads = kTileM / kWarpM * (kTileK / kWarpK) * 32;

struct alignas(16) Stage {
    float a[kTileM][kTileN];
    float b[kTileN][kTileK];
};

// Where in its row of the tile an element of A, and one of B, lies: see above.
__device__ __forceinline__ int place_a(int row, int n) {
    return n ^ (row * kTileN / 32 % (kTileN / 8) * 8);
}
__device__ __forceinline__ int place_b(int n, int col) {
    return col ^ (n / 2 % 4 * 4);
}

static_assert(kTileN % 16 == 0, "an even number of steps of 8, so that the two sets of fragments are constants");
static_assert(kTileN <= 32, "place_a knows rows of 16 and of 32 words");
static_assert(kParts == 2 * kFragmentsM, "the last two columns of fragments, an eighth of the operands each");
static_assert(kWarpK % 32 == 0, "a 128-bit read of B is part of four fragments, 32 columns");
static_assert(kStages * sizeof(Stage) <= 99 << 10, "what a block can have on every GPU from sm_80 on");

template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads, 1)
    mma_tf32(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
             ladder::Epilogue epilogue, bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    extern __shared__ Stage stages[];

    const uint2 tile = ladder::tile_in_groups<kGroup>(blockIdx.y * gridDim.x + blockIdx.x, gridDim.y, gridDim.x);
    const int tile_row = tile.x * kTileM, tile_col = tile.y * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    ladder::AsyncCopies copies;
    ladder::TileCopy<kTileM, kTileN, kVectorA ? 4 : 1, kThreads> copy_a(A + tile_row * lda, lda);
    ladder::TileCopy<kTileN, kTileK, kVectorB ? 4 : 1, kThreads> copy_b(B + tile_col, ldb);
    // Requests the tiles with `left` words of the contraction ahead of them, and moves on to the next.
    const auto request = [&](int stage, int left) {
        copy_a.request(copies, stages[stage].a, rows, left, place_a);
        copy_b.request(copies, stages[stage].b, left, cols, place_b);
        copies.commit();
        copy_a.from += kTileN;
        copy_b.from += kTileN * ldb;
    };

    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int y = warp / (kTileK / kWarpK) * kWarpM + g;
    const int x = warp % (kTileK / kWarpK) * kWarpK;
    const int x_b = x + (g / 2 + g % 2 * 4) * 4;

    uint32_t a[2][kFragmentsM][4], b[2][kFragmentsK][2];  // for even and odd steps
    const auto load = [&](int stage, int step) {
        const int n = step * 8 + 2 * t;  // and n + 1: the instruction's t and t + 4
#pragma unroll
        for (int i = 0; i < kFragmentsM; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = y + 16 * i + 8 * half;
                const float2 pair = *reinterpret_cast<const float2*>(&stages[stage].a[row][place_a(row, n)]);
                a[step % 2][i][half] = __float_as_uint(pair.x);
                a[step % 2][i][half + 2] = __float_as_uint(pair.y);
            }
        }
#pragma unroll
        for (int j = 0; j < kFragmentsK; j += 4) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                alignas(16) float four[4];
                ladder::copy4(four, &stages[stage].b[n + half][place_b(n, x_b + 8 * j)]);
#pragma unroll
                for (int q = 0; q < 4; ++q) b[step % 2][j + q][half] = __float_as_uint(four[q]);
            }
        }
    };

    // Rounds four of a thread's 32 operands of a step.
    const auto round = [&](int step, int part) {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            uint32_t& value = part < kFragmentsM ? a[step % 2][part % kFragmentsM][q]
                                                 : b[step % 2][(part - kFragmentsM) * 2 + q / 2][q % 2];
            value = ladder::to_tf32(__uint_as_float(value));
        }
    };

    // The next step's operands have arrived by the last quarter of a step's instructions, and are rounded between these
    // rather than right before their use: alone, a warp then waits 507 cycles for 16 n instead of 672.
    float sum[kFragmentsM][kFragmentsK][4] = {};
    const auto multiply = [&](int step) {
#pragma unroll
        for (int j = 0; j < kFragmentsK; ++j) {
#pragma unroll
            for (int i = 0; i < kFragmentsM; ++i) {
                ladder::mma_m16n8k8_tf32(sum[i][j], a[step % 2][i], b[step % 2][j]);
                const int part = (j - kFragmentsK + 2) * kFragmentsM + i;
                if (part >= 0) round(step + 1, part);
            }
        }
    };

#pragma unroll
    for (int stage = 0; stage < kStages - 1; ++stage) request(stage, N - stage * kTileN);
    copies.wait<kStages - 2>();
    __syncthreads();
    load(0, 0);
#pragma unroll
    for (int part = 0; part < kParts; ++part) round(0, part);
    int stage = 0, free = kStages - 1;  // the stage that is multiplied, the one to be filled next
    for (int left = N; left > 0; left -= kTileN) {
        constexpr int kSteps = kTileN / 8;
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
            if (step == kSteps - 1) {  // the next step is in the next tile: it is there, and all are done with this one
                copies.wait<kStages - 2>();
                __syncthreads();
                stage = stage == kStages - 1 ? 0 : stage + 1;
            }
            load(stage, (step + 1) % kSteps);
            if (step == 0) {
                request(free, left - (kStages - 1) * kTileN);
                free = free == kStages - 1 ? 0 : free + 1;
            }
            multiply(step);
        }
    }

#pragma unroll
    for (int i = 0; i < 2 * kFragmentsM; ++i) {
        const int row = y + 8 * i;
        if (row >= rows) break;
        float* const c = C + (tile_row + row) * ldc + tile_col;
#pragma unroll
        for (int j = 0; j < 2 * kFragmentsK; j += 4) {
            // Four fragments' elements with the same index stand side by side.
            alignas(16) float four[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) four[q] = sum[i / 2][j / 8 * 4 + q][i % 2 * 2 + j / 4 % 2];
            const int col = x + 4 * j + 4 * t;
            epilogue.store_groups<4>(&c[col], four, col, cols, vector_c);
        }
    }
}

inline void multiply(const ladder::Gemm& gemm) {
    const auto kernel = gemm.vector_a() ? (gemm.vector_b() ? mma_tf32<true, true> : mma_tf32<true, false>)
                                        : (gemm.vector_b() ? mma_tf32<false, true> : mma_tf32<false, false>);
    const int shared = kStages * sizeof(Stage);  // more than 48 KB: a kernel must ask for it
    ladder::allow_shared(kernel, shared);
    ladder::for_each_slab(gemm.M, kTileM, [&](int64_t row, int rows) {
        const dim3 grid(ladder::ceil_div(gemm.K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, kThreads, shared, gemm.stream>>>(gemm.A + row * gemm.lda, gemm.lda, gemm.B, gemm.ldb,
                                                        gemm.C + row * gemm.ldc, gemm.ldc, rows, gemm.N, gemm.K,
                                                        ladder::Epilogue{gemm.alpha, gemm.beta}, gemm.vector_c());
    });
}

}  // namespace rung_74

SOLVE_EXPORT_GEMM(rung_74::multiply,
                  .summary = "mma.sync TF32, 128x256x16 tiles, 4-stage cp.async, conflict-free by a swizzle",
                  .source = "FT v10 (names it only), CUTLASS", .arithmetic = SOLVE_ARITHMETIC_TF32,
                  .minimum_compute_capability = 80)
