// Small products of any form: each warp sums its own part of N (sliced-K), and so does each block of a cluster that
// shares a tile.
//
// Against 69: there the warps of a block fill a stage together and meet at a barrier for every 8 to 64 n, and N is cut
// among blocks by a second launch. Here each warp copies 16 n of the tile's operands for itself, adds their products to
// its sums of the whole tile, and goes on to its next 16 n: no barrier but one at the end, when the warps' sums are
// added. Where there are fewer tiles than SMs, up to 16 blocks, a cluster, share one, and read each other's sums out of
// distributed shared memory. So 81 x 739 x 44 is 6 tiles and 48 blocks, and a warp has one step of 16 n.
//
// An operand stays in shared memory as it lies in memory, and there are two ways to read it: rows along n, of which a
// thread takes 4 n at a time, and rows across n, of which it takes 4 rows or columns of C. So transposed operands cost
// nothing. Words that are not aligned to 16 bytes come one by one.
//
// A product of 9 to 20 rows or columns gets a tile that is as narrow: in tiles of 32 x 32 half of the FFMA of
// 6603 x 3519 x 16 would be for columns that are not there, and it would take 60 us of an H100 in place of 44.
//
// All sums have one order: the same bits every run. On GPUs without clusters a tile is one block's.
// Limit: latency: on an H100 1.1 us for a launch, 0.9 for a step of 16 n, 1.9 for a cluster; L2 for larger products.
// Source: 20_chain_clusters; CUTLASS (sliced-K, distributed shared memory).
// build: least=80
#include "../common/export/gemm.h"
#include "../common/gemm/cluster_launch.h"
#include "../common/gemm/cluster_sums.h"
#include "../common/gemm/lane_place.h"
#include "../common/gemm/warp_operand.h"

namespace rung_79 {

// kRows x kCols sums a lane, of kLanesM lanes along the rows of the tile and the others along its columns; each warp
// has the whole tile. kResident blocks per SM are to have registers at a time.
template <int kRows_, int kCols_, int kLanesM_, int kWarps_, int kStages_, int kResident_>
struct Tile {
    static constexpr int kRows = kRows_, kCols = kCols_, kStages = kStages_, kResident = kResident_;
    static constexpr int kLanesM = kLanesM_, kLanesK = 32 / kLanesM;
    static constexpr int kWarps = kWarps_, kThreads = 32 * kWarps;
    static constexpr int kChunk = 16, kLeast = kChunk;  // n that a warp multiplies at a time
    static constexpr int kM = kLanesM * kRows, kK = kLanesK * kCols;
    static constexpr bool kFewRows = kM <= 20, kFewCols = kK <= 20;  // mostly all that C has, which all blocks read
    static constexpr int kPitch = kK + (kK / kLanesK % 2 ? 2 : 1) * kLanesK;  // of sums: one of each lane in 32 banks
    struct alignas(16) Stage {
        float a[kM * (kChunk + 4)];
        float b[kK * (kChunk + 4)];
    };
    union Shared {
        Stage stages[kWarps][kStages];
        alignas(16) float sums[kWarps][kM][kPitch];
    };
};

using Small = Tile<8, 4, 4, 8, 2, 2>;      // 32 x 32
using Rows8 = Tile<2, 4, 4, 8, 3, 2>;      // 8 x 32
using Columns8 = Tile<8, 1, 4, 8, 3, 2>;   // 32 x 8
using Rows16 = Tile<4, 4, 4, 8, 3, 2>;     // 16 x 32
using Columns16 = Tile<4, 4, 8, 8, 3, 2>;  // 32 x 16
using Rows20 = Tile<5, 8, 4, 4, 3, 2>;     // 20 x 64
using Columns20 = Tile<8, 5, 8, 4, 3, 2>;  // 64 x 20
using Wide = Tile<8, 8, 4, 4, 2, 3>;  // 32 x 64, which reads two thirds of Small's words of shared memory for an FFMA

// Grid: for each product of the batch and each tile of it a cluster of `blocks`.
template <class T, bool kTransposeA, bool kTransposeB>
__global__ void __launch_bounds__(T::kThreads, T::kResident)
    cluster_slices(solve_gemm_t call, int blocks, int tiles, int64_t first_product, bool vector_a, bool vector_b,
                   bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    ladder::Cluster cluster(memory, blocks);
    if (ladder::has_arrays(call)) ladder::wait_for_kernel_before();
    const int64_t product = first_product + cluster.number() / tiles;
    const int tiles_k = ladder::ceil_div(call.K, T::kK), tile = cluster.number() % tiles;
    const int tile_row = tile / tiles_k * T::kM, tile_col = tile % tiles_k * T::kK;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned N = call.N, step = T::kWarps * blocks * T::kChunk;  // n may pass 2^31
    unsigned n = (cluster.rank() * T::kWarps + warp) * T::kChunk;
    ladder::WarpOperand<T::kM, T::kChunk, !kTransposeA, T::kFewRows> a(
        ladder::a_of(call, product) + tile_row * (kTransposeA ? 1 : call.lda), call.lda, call.M - tile_row, vector_a, n,
        step);
    ladder::WarpOperand<T::kK, T::kChunk, kTransposeB, T::kFewCols> b(
        ladder::b_of(call, product) + tile_col * (kTransposeB ? call.ldb : 1), call.ldb, call.K - tile_col, vector_b, n,
        step);
    // With few sums per lane, or five lines, of which each is a read of its own, reads of shared memory bound the loop;
    // else the order in which sums are left counts more.
    constexpr bool kMerge = T::kRows * T::kCols % 32 != 0;
    const ladder::LanePlace place =
        kMerge ? ladder::merging_place<T::kLanesK>(lane) : ladder::LanePlace{lane % T::kLanesK, lane / T::kLanesK};
    const ladder::OwnLines<T::kRows, T::kLanesM, !kTransposeA> rows{place.y};
    const ladder::OwnLines<T::kCols, T::kLanesK, kTransposeB> cols{place.x};

    ladder::AsyncCopies async;
    auto& stages = shared.stages[warp];
    const auto request = [&](typename T::Stage& stage, unsigned n) {
        if (n < N) a.request(async, stage.a, N - n), b.request(async, stage.b, N - n);
        async.commit();
    };
    ladder::wait_for_kernel_before(a.computed() | b.computed() | 1);
#pragma unroll
    for (int ahead = 0; ahead < T::kStages - 1; ++ahead) request(stages[ahead], n + ahead * step);
    ladder::let_next_kernel_start();  // not before: 67
    float sum[T::kRows][T::kCols] = {};
    constexpr int kSteps = T::kRows * T::kCols > 40 ? 2 : 4;  // n at a time; for the larger tile registers do for 2
    for (int stage = 0; n < N; n += step) {
        const int free = stage == 0 ? T::kStages - 1 : stage - 1;
        async.wait<T::kStages - 2>();
        __syncwarp();  // the stage is there, and nobody reads the one before any more
#pragma unroll
        for (int first = 0; first < T::kChunk; first += kSteps) {
            alignas(16) float of_a[T::kRows][kSteps], of_b[T::kCols][kSteps];
            rows.template read<kSteps, decltype(a)::kPitch>(of_a, stages[stage].a, first);
            cols.template read<kSteps, decltype(b)::kPitch>(of_b, stages[stage].b, first);
            if (first == 0) request(stages[free], n + (T::kStages - 1) * step);  // behind the reads, not in their way
#pragma unroll
            for (int q = 0; q < kSteps; ++q) {
#pragma unroll
                for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
                    for (int t = 0; t < T::kCols; ++t) {
                        const int j = i % 2 ? t : T::kCols - 1 - t;  // of eight orders, by register bank conflicts
                        sum[i][j] += of_a[i][q] * of_b[j][q];
                    }
                }
            }
        }
        stage = stage + 1 == T::kStages ? 0 : stage + 1;
    }
    async.wait<0>();
    __syncthreads();  // nobody reads the stages any more
#pragma unroll
    for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
        for (int j = 0; j < T::kCols; ++j) shared.sums[warp][rows.line(i)][cols.line(j)] = sum[i][j];
    }
    __syncthreads();
    ladder::store_sums<T>(shared, cluster, blocks, call, product, tile_row, tile_col, vector_c);
}

// A call without a bias, its tiles by clusters of so many blocks.
template <class T>
void launch(const solve_gemm_t& call, int blocks) {
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    const auto kernel = ta ? (tb ? cluster_slices<T, true, true> : cluster_slices<T, true, false>)
                           : (tb ? cluster_slices<T, false, true> : cluster_slices<T, false, false>);
    const ladder::Vectors vectors(call);
    ladder::launch_tiles<T>(kernel, call, blocks, vectors.a, vectors.b, vectors.c);
}

template <class Visit>
void for_each_way(const solve_gemm_t& call, const ladder::Vectors& vectors, const ladder::DeviceFigures& device,
                  Visit visit) {
    const auto of_tile = [&]<class T>(T, ladder::WayId id) {
        ladder::for_each_cluster<T>(call, vectors, device,
                                    [&](int blocks, const ladder::Work& work) { visit(id, blocks, work, launch<T>); });
    };
    of_tile(Small{}, ladder::WayId::clusters_32x32);
    of_tile(Rows8{}, ladder::WayId::clusters_8x32);
    of_tile(Columns8{}, ladder::WayId::clusters_32x8);
    if (call.M > 8 && call.M <= 16) of_tile(Rows16{}, ladder::WayId::clusters_16x32);
    if (call.K > 8 && call.K <= 16) of_tile(Columns16{}, ladder::WayId::clusters_32x16);
    if (call.M > 16 && call.M <= 20) of_tile(Rows20{}, ladder::WayId::clusters_20x64);
    if (call.K > 16 && call.K <= 20) of_tile(Columns20{}, ladder::WayId::clusters_64x20);
    of_tile(Wide{}, ladder::WayId::clusters_32x64);
}

inline int multiply_all(const solve_gemm_t& given) {
    return ladder::launch_best(ladder::with_bias_added(given), [](auto&&... all) { for_each_way(all...); });
}

inline int multiply(const ladder::Gemm& gemm) {
    return multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_79

SOLVE_EXPORT_GEMM_AND_ALL(rung_79::multiply, rung_79::multiply_all,
                          .summary = "small products, any form: each warp n of its own, clusters of blocks",
                          .source = "CUTLASS (sliced-K, distributed shared memory)", .minimum_compute_capability = 80)
