// Some warps only copy, the others only multiply, and one block an SM goes from tile to tile.
//
// Against 66: no __syncthreads in the loop, where all eight warps waited for the slowest and then for shared memory
// together. A ring of tiles has two mbarriers a stage instead: `full`, at which the copies themselves arrive when they
// are there, and `empty`, at which a warp arrives when it has read the stage. Each warp waits only for what it needs
// next. Four warps copy; eight multiply, 16 x 8 outputs a thread. There are as many blocks as SMs and each takes every
// 132nd tile of C: while its eight warps store one, the others fetch the next.
//
// Registers: 65536 for 384 threads are 168 for each, too few for 128 sums and two sets of 24 operands. The copying
// warps give most of theirs away (setmaxnreg, see register_share.h): 56 and 224.
//
// Copies: A as in 64, a word at a time, so that it lies as [n][row]; the addresses of a thread's eight rows stay in
// registers. B 16 bytes at a time where that is legal. Where it is not, it comes in words too, and of each 32 columns
// c, c + 8, c + 16, c + 24 become neighbours: a thread's four words are four columns 8 apart, and the 8 lanes that
// share a row of C store 32 bytes in one piece. The B of a stage that lies right of C's last column arrives as zeros.
//
// The loop of the multiplying warps alone, without copies or barriers, was faster than this rung by 2 % at most, so its
// details count (notes/80_warp_specialised.md; 82 shows that those of the copies do, too):
//   - Steps of 8 n, not 16: 17 KB of code. With 35 KB the two warps of a scheduler drift apart and wait for it.
//   - The order of the FFMA: columns in pairs, down one pair and up the next. Each FFMA takes an operand over from the
//     one before, and with the pairs nvcc finds registers that spread over both banks of the register file.
//   - The lanes: a 128-bit read is merged to half as many wavefronts if lanes l and l ^ 1, or l and l ^ 2, all read the
//     same words, but then it holds up the FFMA for longer. So here each lane differs from both, in A and in B.
//
// Limit: power, at 700 W, and the last round of tiles: 512 tiles on 132 SMs are 3.9 rounds, and take 4.
// Source: the warp-specialised persistent kernels of CUTLASS for Hopper, which do this for the tensor cores.
// build: least=90 as=90a
#include "../common/export/gemm.h"
#include "../common/gemm/epilogue.h"
#include "../common/gemm/tile.h"
#include "../common/ptx/mbarrier.h"
#include "../common/ptx/register_share.h"

namespace rung_80 {

// A block's tile of C is kTileM x kTileK and it walks along N, the contraction, in steps of kTileN.
// (Texts that call the contraction K write BM, BN and BK for these three.)
constexpr int kTileM = 128;
constexpr int kTileK = 256;
constexpr int kTileN = 8;
constexpr int kStages = 8;  // tiles in shared memory: one is multiplied, the others are on their way
constexpr int kGroup = 16;  // rows of tiles that are walked together
constexpr int kWarpM = 64;  // a warp's part of the tile
constexpr int kWarpK = 64;
constexpr int kRows = 16;  // of C a thread, in groups of 4
constexpr int kCols = 8;
constexpr int kLanesM = kWarpM / kRows;  // a warp is 4 x 8 lanes
constexpr int kLanesK = kWarpK / kCols;
constexpr int kApartM = 4 * kLanesM;  // from one group of 4 rows to the next
constexpr int kApartK = 4 * kLanesK;
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

static_assert(kLanesM == 4 && kLanesK == 8, "the numbering of the lanes below");
static_assert(kProducers == 128 && kConsumers % 128 == 0, "whole warpgroups");
static_assert(kTileN % 2 == 0 && kCols % 2 == 0, "even and odd n have registers of their own, columns go in pairs");
static_assert(kTileN % 8 == 0 && kTileM % (kProducers / 8) == 0, "whole passes of the copies of A");
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

// Row and column of C at which the tile of that number begins. Row by row of tiles, the blocks at work would walk along
// all of B together; as 16 rows x 8 columns of tiles they need least of A and B, 2048 rows and columns, from memory.
__device__ __forceinline__ int2 corner_of(int number, int M, int K) {
    const int tiles_m = ladder::ceil_div(M, kTileM), tiles_k = ladder::ceil_div(K, kTileK);
    const int group = number / (kGroup * tiles_k), within = number % (kGroup * tiles_k);
    const int rows = min(kGroup, tiles_m - group * kGroup);
    return make_int2((group * kGroup + within % rows) * kTileM, within / rows * kTileK);
}

// What the copying warps do: fill the ring with the block's tiles of A and B, as fast as it is emptied.
template <bool kVector>
__device__ __forceinline__ void produce(Shared& shared, const float* A, int64_t lda, const float* B, int64_t ldb, int M,
                                        int N, int K, int tiles) {
    const int thread = threadIdx.x % kProducers, warp = thread / 32, lane = thread % 32;
    // A pass of A is 8 n x 16 rows: of each warp 4 rows x 8 words, whole sectors. A pass of B is a row a warp.
    constexpr int kPassRows = kProducers / 8, kPassesA = kTileM / kPassRows;
    const int a_n = thread % 8, a_row = thread / 8;
    constexpr int kWidth = kVector ? 4 : 1;  // floats a copy
    constexpr int kPassesB = kTileN / (kProducers / 32), kPassCols = 32 * kWidth;
    const int b_n = warp, b_col = lane * kWidth;
    const int b_place = kVector ? b_col : lane % 8 * 4 + lane / 8;

    Ring ring;
    ladder::AsyncCopies copies;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int2 corner = corner_of(tile, M, K);
        const int rows = M - corner.x, cols = K - corner.y;
        const float* from_a[kPassesA];
#pragma unroll
        for (int i = 0; i < kPassesA; ++i) {
            // Past the last row a copy takes the last one: what it brings ends in sums that are not stored.
            from_a[i] = A + (corner.x + min(a_row + i * kPassRows, rows - 1)) * lda + a_n;
        }
        const float* from_b[kPassesB];
#pragma unroll
        for (int i = 0; i < kPassesB; ++i) from_b[i] = B + (b_n + i * (kProducers / 32)) * ldb + corner.y + b_col;

        // Requests the next tiles, which have `left` of N ahead of them. Past N there are zeros, in A and in B: in one
        // alone they would meet whatever the other holds, and 0 * Inf is NaN.
        const auto request = [&](int left) {
            Stage& stage = shared.stages[ring.stage];
#pragma unroll
            for (int i = 0; i < kPassesA; ++i) {
#pragma unroll
                for (int n = 0; n < kTileN; n += 8) {
                    copies.copy4(&stage.a[n + a_n][a_row + i * kPassRows], from_a[i] + n, n + a_n < left);
                }
                from_a[i] += kTileN;
            }
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
            if (left >= kTileN) {
                request(kTileN);  // a constant: nothing to compare
            } else {
                request(left);
            }
            shared.full[ring.stage].arrive_after(copies);
            ring.advance();
        }
    }
    // The consumers look one stage past the last.
    shared.empty[ring.stage].wait(ring.parity ^ 1);
    shared.full[ring.stage].arrive();
}

// What the multiplying warps do.
template <bool kVector>
__device__ __forceinline__ void consume(Shared& shared, float* C, int64_t ldc, int M, int N, int K, int tiles,
                                        ladder::Epilogue epilogue, bool vector_c) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // The corner of this thread's first 4 x 4 in the tile, as it lies in shared memory.
    const int y = warp / (kTileK / kWarpK) * kWarpM + lane % kLanesM * 4;
    const int x = warp % (kTileK / kWarpK) * kWarpK + (lane / kLanesM ^ lane % kLanesM) * 4;

    alignas(16) float a[2][kRows], b[2][kCols];  // for even and odd n
    const float *next_a = &shared.stages[0].a[0][y], *next_b = &shared.stages[0].b[0][x];
    const auto load = [&](int n) {
#pragma unroll
        for (int i = 0; i < kRows; i += 4) ladder::copy4(&a[n % 2][i], next_a + n * kPitchA + i / 4 * kApartM);
#pragma unroll
        for (int j = 0; j < kCols; j += 4) ladder::copy4(&b[n % 2][j], next_b + n * kTileK + j / 4 * kApartK);
    };

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
                    next_a = &shared.stages[ring.stage].a[0][y], next_b = &shared.stages[ring.stage].b[0][x];
                }
                load((n + 1) % kTileN);
#pragma unroll
                for (int j = 0; j < kCols; j += 2) {
#pragma unroll
                    for (int step = 0; step < kRows; ++step) {
                        const int i = j / 2 % 2 ? kRows - 1 - step : step, first = j + step % 2,
                                  second = j + 1 - step % 2;
                        sum[i][first] += a[n % 2][i] * b[n % 2][first];
                        sum[i][second] += a[n % 2][i] * b[n % 2][second];
                    }
                }
            }
        }

        const int2 corner = corner_of(tile, M, K);
        const int rows = M - corner.x, cols = K - corner.y;
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            const int row = y + i / 4 * kApartM + i % 4;
            if (row >= rows) break;
            float* c = C + (corner.x + row) * ldc + corner.y;
#pragma unroll
            for (int j = 0; j < kCols; j += 4) {
                const int at = x + j / 4 * kApartK;
                if (kVector && vector_c) {
                    if (at < cols) epilogue.store4(&c[at], &sum[i][j]);
                    continue;
                }
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const int col = kVector ? at + k : at / 32 * 32 + at % 32 / 4 + 8 * k;
                    if (col < cols) epilogue.store(&c[col], sum[i][j + k]);
                }
            }
        }
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
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    const int tiles = ladder::ceil_div(gemm.M, kTileM) * ladder::ceil_div(gemm.K, kTileK);
    const int blocks = tiles < processors ? tiles : processors;
    kernel<<<blocks, kConsumers + kProducers, sizeof(Shared), gemm.stream>>>(
        gemm.A, gemm.lda, gemm.B, gemm.ldb, gemm.C, gemm.ldc, gemm.M, gemm.N, gemm.K, tiles,
        ladder::Epilogue{gemm.alpha, gemm.beta}, gemm.vector_c());
}

}  // namespace rung_80

SOLVE_EXPORT_GEMM(rung_80::multiply, .summary = "producer and consumer warps, mbarriers, one block an SM",
                  .source = "CUTLASS's warp-specialised persistent kernels for Hopper",
                  .minimum_compute_capability = 90)
