// Tiles of 32 x 32 for two warps, or of 64 x 64 for four, of which many are resident per SM: for products that are too
// small to fill a GPU with 64's tiles, however their operands lie.
//
// Against 64: there a tile is 128 x 128, and 1428 x 120 x 549 is 60 of them for 132 SMs; here it is 207 or 810. What a
// block waits for, the other blocks of its SM hide. Where there are still fewer tiles than SMs, up to 8 blocks, a
// cluster, share one: each multiplies a part of N, and they read each other's sums out of shared memory.
//
// Such a product takes some microseconds, and most of them are not FFMA but one instruction after another: addresses,
// the first copies, the way of the sums to C. So there is one path, word by word, for whatever lies however; addresses
// are computed while the kernel before works; and the next kernel's blocks may come when this one's copies are asked
// for. (When they might come before, those of several kernels piled up: all 140 blocks on 52 SMs.)
//
// Limit: latency, then the copies: a tile of 32 x 32 asks L2 for a word for every 16 FFMA.
// Source: cuBLAS (its tiles of 32 x 32 and 64 x 64, for two and four warps).
// build: least=80
#include "../common/export/gemm.h"
#include "../common/gemm/cluster_launch.h"
#include "../common/gemm/epilogue.h"
#include "../common/gemm/lane_place.h"
#include "../common/gemm/tile.h"
#include "../common/gemm/word_copies.h"

namespace rung_67 {

// kRows x 4 sums a thread; kResident blocks per SM are to have registers.
template <int kM_, int kK_, int kRows_, int kResident_>
struct Tile {
    static constexpr int kM = kM_, kK = kK_, kRows = kRows_, kResident = kResident_;
    static constexpr int kN = 16, kStages = 3;     // n of a step; steps in flight, and the one that is multiplied
    static constexpr int kChunk = kN, kWarps = 1;  // for cluster_work.h: all warps multiply the same n
    static constexpr int kThreadsX = kK / 4, kThreads = kThreadsX * (kM / kRows);
    static constexpr int kStrideM = 4 * (kM / kRows);  // from four rows of a thread to the next four
    struct Stage {
        // Four more: copies of 8 n of 4 rows, or columns, go to different banks.
        alignas(16) float a[kN][kM + 4];
        alignas(16) float b[kN][kK + 4];
    };
    union Shared {
        Stage stages[kStages];
        alignas(16) float sums[kM][kK + 4];
    };
};

using Small = Tile<32, 32, 4, 12>;
using Medium = Tile<64, 32, 4, 8>;
using Wide = Tile<32, 64, 8, 8>;
using Large = Tile<64, 64, 8, 5>;

// Grid: for each product from first_product on, and each tile of it, a cluster of `blocks`, each with `depth` of N.
template <class T, bool kTransposeA, bool kTransposeB>
__global__ void __launch_bounds__(T::kThreads, T::kResident)
    small_tiles(solve_gemm_t call, int blocks, int tiles, int64_t first_product, int depth, bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    ladder::Cluster cluster(memory, blocks);
    const int64_t product = first_product + cluster.number() / tiles;
    const int tiles_k = ladder::ceil_div(call.K, T::kK), tile = cluster.number() % tiles;
    const int tile_row = tile / tiles_k * T::kM, tile_col = tile % tiles_k * T::kK;
    const int n_begin = blocks > 1 ? cluster.rank() * depth : 0, n_count = min(call.N - n_begin, depth);
    const ladder::LanePlace place = ladder::merging_place<T::kThreadsX>(threadIdx.x % 32);
    const int y = 4 * (int(threadIdx.x) / 32 * (32 / T::kThreadsX) + place.y), x = 4 * place.x;
    if (call.C_array) ladder::wait_for_kernel_before();  // which may write the arrays of pointers
    ladder::WordCopies<T::kM, T::kN, T::kThreads, !kTransposeA> a(ladder::a_of(call, product), call.lda, n_begin,
                                                                  tile_row, call.M);
    ladder::WordCopies<T::kK, T::kN, T::kThreads, kTransposeB> b(ladder::b_of(call, product), call.ldb, n_begin,
                                                                 tile_col, call.K);
    ladder::wait_for_kernel_before(a.computed() | b.computed() | 1);

    // The step that is not whole comes first, so that the loop need not look for the end of N.
    ladder::AsyncCopies copies;
    const int some = n_count > 0 ? (n_count - 1) % T::kN + 1 : 0;
    a.request_some(copies, shared.stages[0].a, some), b.request_some(copies, shared.stages[0].b, some);
    copies.commit();
    int to_request = n_count - some;
    const auto request = [&](typename T::Stage& stage) {
        if (to_request > 0) a.request(copies, stage.a), b.request(copies, stage.b);
        copies.commit();
        to_request -= T::kN;
    };
#pragma unroll
    for (int stage = 1; stage < T::kStages - 1; ++stage) request(shared.stages[stage]);
    ladder::let_next_kernel_start();
    alignas(16) float sum[T::kRows][4] = {};
    int stage = 0, free = T::kStages - 1;  // the one that is multiplied, the one to be filled next
    for (int left = n_count; left > 0; left -= T::kN) {
        copies.wait<T::kStages - 2>();
        __syncthreads();  // the stage is there, and nobody reads the one that is filled next
        request(shared.stages[free]);
        const typename T::Stage& from = shared.stages[stage];
#pragma unroll
        for (int n = 0; n < T::kN; ++n) {
            alignas(16) float of_a[T::kRows], of_b[4];
#pragma unroll
            for (int i = 0; i < T::kRows; i += 4) ladder::copy4(&of_a[i], &from.a[n][y + i / 4 * T::kStrideM]);
            ladder::copy4(of_b, &from.b[n][x]);
#pragma unroll
            for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
                for (int step = 0; step < 4; ++step) {
                    const int j = i % 2 ? 3 - step : step;  // serpentine: an operand is read once for two FFMA
                    sum[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        free = stage;
        stage = stage + 1 == T::kStages ? 0 : stage + 1;
    }

    const ladder::Epilogue epilogue{call.alpha, call.beta};
    float* const C = ladder::c_of(call, product) + tile_row * call.ldc + tile_col;
    const int rows = call.M - tile_row, cols = call.K - tile_col;
    const auto row_of = [&](int i) { return y + i / 4 * T::kStrideM + i % 4; };
    if (vector_c && blocks == 1) {
#pragma unroll
        for (int i = 0; i < T::kRows; ++i) {
            if (row_of(i) < rows && x < cols) epilogue.store4(C + row_of(i) * call.ldc + x, sum[i]);
        }
        return;
    }
    // Through shared memory, so that neighbouring lanes write neighbouring words; a block has its share of the rows.
    copies.wait<0>();
    __syncthreads();  // nobody reads the stages any more
#pragma unroll
    for (int i = 0; i < T::kRows; ++i) ladder::copy4(&shared.sums[row_of(i)][x], sum[i]);
    blocks > 1 ? cluster.sync() : __syncthreads();
    constexpr int kStep = T::kThreads / T::kK;
    const int share = T::kM / blocks, first = blocks > 1 ? cluster.rank() * share : 0;
    const int col = threadIdx.x % T::kK, own = first + threadIdx.x / T::kK;
    static_assert(T::kThreads % T::kK == 0 && T::kM / ladder::kMostOfCluster % kStep == 0, "whole passes");
    float* to = C + own * call.ldc + col;
#pragma unroll 4
    for (int row = own; row < min(first + share, rows); row += kStep, to += kStep * call.ldc) {
        float total = blocks > 1 ? 0.0f : shared.sums[row][col];
        for (int rank = 0; rank < blocks && blocks > 1; ++rank) {
            total += *cluster.of_rank(&shared.sums[row][col], rank);
        }
        if (col < cols) epilogue.store(to, total);
    }
    if (blocks > 1) cluster.sync();  // nobody reads this block's sums any more
}

// A call without a bias, its tiles by clusters of so many blocks.
template <class T>
void launch(const solve_gemm_t& call, int blocks) {
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    const auto kernel = ta ? (tb ? small_tiles<T, true, true> : small_tiles<T, true, false>)
                           : (tb ? small_tiles<T, false, true> : small_tiles<T, false, false>);
    const int depth = blocks > 1 ? ladder::ceil_div(ladder::ceil_div(call.N, T::kN), blocks) * T::kN : call.N;
    ladder::launch_tiles<T>(kernel, call, blocks, depth, ladder::Vectors(call).c);
}

template <class Visit>
void for_each_way(const solve_gemm_t& call, ladder::Vectors vectors, const ladder::DeviceFigures& device, Visit visit) {
    vectors.a = vectors.b = false;  // all copies are of words
    const auto of_tile = [&]<class T>(T, ladder::WayId id) {
        ladder::for_each_cluster<T>(call, vectors, device,
                                    [&](int blocks, const ladder::Work& work) { visit(id, blocks, work, launch<T>); });
    };
    of_tile(Small{}, ladder::WayId::small_32x32);
    of_tile(Medium{}, ladder::WayId::small_64x32);
    of_tile(Wide{}, ladder::WayId::small_32x64);
    of_tile(Large{}, ladder::WayId::small_64x64);
}

inline int multiply_all(const solve_gemm_t& given) {
    return ladder::launch_best(ladder::with_bias_added(given), [](auto&&... all) { for_each_way(all...); });
}

inline int multiply(const ladder::Gemm& gemm) {
    return multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_67

SOLVE_EXPORT_GEMM_AND_ALL(rung_67::multiply, rung_67::multiply_all,
                          .summary = "small tiles, any form: words, two or four warps, clusters of blocks",
                          .source = "cuBLAS (tiles of 32x32 and 64x64)", .minimum_compute_capability = 80)
