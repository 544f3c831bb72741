// Some warps only copy, the others only multiply, and one persistent block per SM goes from tile to tile.
//
// Against 66: no __syncthreads in the loop, where all eight warps waited for the slowest and then for shared memory
// together. A ring of tiles has two mbarriers per stage instead: `full`, at which the copies themselves arrive when
// they are there, and `empty`, at which a warp arrives when it has read the stage. Each warp waits only for what it
// needs next. Four warps copy, as 64 does, a word of A at a time; eight multiply, 16 x 8 outputs a thread
// (warp64x64.h). There are as many blocks as SMs and each takes every 132nd tile of C: while its eight warps store one,
// the others fetch the next.
//
// Registers: 65536 for 384 threads are 168 for each, too few for 128 sums and two sets of 24 operands. The copying
// warps give most of theirs away (setmaxnreg, see register_share.h): 56 and 224.
//
// The loop of the multiplying warps alone, without copies or barriers, was faster than this rung by 2 % at most, so its
// details count (notes/80_warp_specialised.md; 82 shows that those of the copies do, too):
//   - Steps of 8 n, not 16: 17 KB of code. With 35 KB the two warps of a scheduler drift apart and wait for it.
//   - The order of the FFMA: columns in pairs, down one pair and up the next. Each FFMA takes an operand over from the
//     one before, and with the pairs nvcc finds registers that spread over both banks of the register file.
//
// Limit: power, at 700 W, and the last wave of tiles: 512 tiles on 132 SMs are 3.9 waves, and take 4.
// Source: CUTLASS (warp-specialised persistent kernels), which does this for the tensor cores.
// build: least=90 as=90a
#include "../common/export/device.h"
#include "../common/export/gemm.h"
#include "../common/gemm/copies_of_a.h"
#include "../common/gemm/tile_order.h"
#include "../common/gemm/warp64x64_store.h"
#include "../common/ptx/mbarrier.h"
#include "../common/ptx/register_share.h"

namespace rung_80 {

using namespace ladder::warp64x64;  // a warp's 64 x 64 outputs: kRows x kCols a thread

// A block's tile of C is kTileM x kTileK and it walks along N, the contraction, in steps of kTileN.
constexpr int kTileM = 128, kTileK = 256, kTileN = 8;
constexpr int kStages = 8;  // tiles in shared memory: one is multiplied, the others are in flight
constexpr int kConsumers = kTileM / kWarpM * (kTileK / kWarpK) * 32;
constexpr int kProducers = 128;
constexpr int kPitchA = kTileM + 4;

struct alignas(16) Stage {
    float a[kTileN][kPitchA];
    float b[kTileN][kTileK];
};

struct Shared {
    Stage stages[kStages];
    ladder::Mbarrier full[kStages], empty[kStages];
};

static_assert(kProducers == 128 && kConsumers % 128 == 0, "whole warpgroups");
static_assert(kTileN % 2 == 0 && kCols % 2 == 0, "even and odd n have registers of their own, columns go in pairs");
static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");
static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");

// A walk through the stages, one after the other and round again. Parity is that of the rounds completed.
struct Ring {
    int stage = 0, parity = 0;

    __device__ __forceinline__ void advance() {
        stage = stage == kStages - 1 ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

// What the producer warps do: fill the ring with the block's tiles of A and B, as fast as it is emptied.
template <bool kVector>
__device__ __forceinline__ void produce(Shared& shared, const float* A, int64_t lda, const float* B, int64_t ldb, int M,
                                        int N, int K, int tiles) {
    const int thread = threadIdx.x % kProducers, warp = thread / 32, lane = thread % 32;
    using CopiesOfA = ladder::CopiesOfA<kTileM, kTileN, kProducers>;
    const CopiesOfA a(thread);
    constexpr int kWidth = kVector ? 4 : 1;  // floats a copy
    constexpr int kPassesB = kTileN / (kProducers / 32), kPassCols = 32 * kWidth;
    const int b_n = warp, b_col = lane * kWidth, b_place = ladder::place_of<kVector>(b_col);

    Ring ring;
    ladder::AsyncCopies copies;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int2 corner = ladder::corner_of<kTileM, kTileK>(tile, M, K);
        const int cols = K - corner.y;
        const float* from_a[CopiesOfA::kAddresses];
        a.begin(from_a, A, lda, corner.x, M - corner.x, 0);
        const float* from_b[kPassesB];
#pragma unroll
        for (int i = 0; i < kPassesB; ++i) from_b[i] = B + (b_n + i * (kProducers / 32)) * ldb + corner.y + b_col;

        // Requests the next tiles, which have `left` of N ahead of them. Past N there are zeros, in A and in B: in one
        // alone they would meet whatever the other holds, and 0 * Inf is NaN.
        const auto request = [&](int left) {
            Stage& stage = shared.stages[ring.stage];
            a.request<true>(copies, stage.a, from_a, lda, left, kTileM);
#pragma unroll
            for (int i = 0; i < kPassesB; ++i) {
                const int n = b_n + i * (kProducers / 32);
#pragma unroll
                for (int col = 0; col < kTileK; col += kPassCols) {
                    const bool inside = n < left && b_col + col < cols;
                    if constexpr (kVector) {
                        copies.copy16(&stage.b[n][col + b_place], from_b[i] + col, inside);
                    } else {
                        copies.copy4(&stage.b[n][col + b_place], from_b[i] + col, inside);
                    }
                }
                from_b[i] += kTileN * ldb;
            }
        };
#pragma unroll 2  // more of it spills
        for (int left = N; left > 0; left -= kTileN) {
            shared.empty[ring.stage].wait(ring.parity ^ 1);
            left >= kTileN ? request(kTileN) : request(left);  // a constant: nothing to compare
            shared.full[ring.stage].arrive_after(copies);
            ring.advance();
        }
    }
    // The consumers look one stage past the last.
    shared.empty[ring.stage].wait(ring.parity ^ 1);
    shared.full[ring.stage].arrive();
}

// What the consumer warps do.
template <bool kVector>
__device__ __forceinline__ void consume(Shared& shared, float* C, int64_t ldc, int M, int N, int K, int tiles,
                                        ladder::Epilogue epilogue, bool vector_c) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const Place place = place_in_tile<kTileK>(warp, lane);
    Operands operands;
    const float *next_a = &shared.stages[0].a[0][place.y], *next_b = &shared.stages[0].b[0][place.x];
    const auto load = [&](int n) { operands.load(n, next_a + n * kPitchA, next_b + n * kTileK); };

    Ring ring;
    shared.full[0].wait(0);
    load(0);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        alignas(16) float sum[kRows][kCols] = {};
        for (int left = N; left > 0; left -= kTileN) {
#pragma unroll
            for (int n = 0; n < kTileN; ++n) {
                if (n == kTileN - 1) {
                    __syncwarp();  // all lanes have read the stage
                    if (lane == 0) shared.empty[ring.stage].arrive();
                    ring.advance();
                    shared.full[ring.stage].wait(ring.parity);
                    next_a = &shared.stages[ring.stage].a[0][place.y],
                    next_b = &shared.stages[ring.stage].b[0][place.x];
                }
                load((n + 1) % kTileN);
#pragma unroll
                for (int j = 0; j < kCols; j += 2) {
#pragma unroll
                    for (int step = 0; step < kRows; ++step) {
                        const int i = j / 2 % 2 ? kRows - 1 - step : step, first = j + step % 2,
                                  second = j + 1 - step % 2;
                        sum[i][first] += operands.a[n % 2][i] * operands.b[n % 2][first];
                        sum[i][second] += operands.a[n % 2][i] * operands.b[n % 2][second];
                    }
                }
            }
        }

        const int2 corner = ladder::corner_of<kTileM, kTileK>(tile, M, K);
        store_tile<kVector>(C, ldc, corner, M, K, sum, place, epilogue, vector_c);
    }
}

template <bool kVector>
__global__ void __launch_bounds__(kConsumers + kProducers, 1)
    warp_specialised(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N,
                     int K, int tiles, ladder::Epilogue epilogue, bool vector_c) {
    if (!ladder::kHasMbarrier) return;
    extern __shared__ Shared shared[];
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < kStages; ++stage) {
            shared->full[stage].init(kProducers);
            shared->empty[stage].init(kConsumers / 32);
        }
    }
    __syncthreads();
    if (threadIdx.x >= kConsumers) {
        ladder::give_registers<56>();
        produce<kVector>(*shared, A, lda, B, ldb, M, N, K, tiles);
    } else {
        ladder::take_registers<224>();
        consume<kVector>(*shared, C, ldc, M, N, K, tiles, epilogue, vector_c);
    }
}

inline void multiply(const ladder::Gemm& gemm) {
    const auto kernel = gemm.vector_b() ? warp_specialised<true> : warp_specialised<false>;
    ladder::allow_shared(kernel, sizeof(Shared));
    const int tiles = ladder::ceil_div(gemm.M, kTileM) * ladder::ceil_div(gemm.K, kTileK);
    kernel<<<std::min(tiles, ladder::sm_count()), kConsumers + kProducers, sizeof(Shared), gemm.stream>>>(
        gemm.A, gemm.lda, gemm.B, gemm.ldb, gemm.C, gemm.ldc, gemm.M, gemm.N, gemm.K, tiles,
        ladder::Epilogue{gemm.alpha, gemm.beta}, gemm.vector_c());
}

}  // namespace rung_80

SOLVE_EXPORT_GEMM(rung_80::multiply, .summary = "producer and consumer warps, mbarriers, one block per SM",
                  .source = "CUTLASS (warp-specialised persistent)", .minimum_compute_capability = 90)
