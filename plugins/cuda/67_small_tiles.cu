// Tiles of 32 x 32 for two warps up to 128 x 64 for four, of which many are resident per SM: for products that are too
// small to fill a GPU with 64's tiles, however their operands lie.
//
// Against 64: there a tile is 128 x 128, and 1428 x 120 x 549 is 60 of them for 132 SMs; here it is 207 or 810. What a
// block waits for, the other blocks of its SM hide. Where there are still fewer tiles than SMs, up to 16 blocks, a
// cluster, share one: each multiplies a part of N, and they read each other's sums out of distributed shared memory. A
// cluster must lie within a part of the GPU, a GPC, so SMs stay idle. Where N is long it is in pieces for blocks
// anywhere (split-K), as in 68, and a second kernel adds their sums: 96 x 4000 x 2000 takes 42 us for 49.
//
// Such a product takes some microseconds, most of them not for FFMA but for one latency after another: addresses, the
// first copies, the stores of the sums. So there is one path for all layouts and alignments, word by word; addresses
// are computed while the previous kernel runs; and the next one's blocks may start once this one's copies are requested
// (programmatic dependent launch). With one or two blocks per SM a scheduler has one or two warps, and no other warp
// hides their latency. So the operands of the next n are read while those of this one are multiplied, even across the
// barrier between two steps; and larger tiles request a step's copies in four parts, since a read behind 16 copies
// waits for all of them.
//
// Limit: latency, then the copies: a tile of 32 x 32 asks L2 for a word for every 16 FFMA.
// Source: cuBLAS (its tiles of 32 x 32 to 64 x 128, for two and four warps).
// build: least=80
#include "../common/export/gemm.h"
#include "../common/gemm/cluster_launch.h"
#include "../common/gemm/lane_place.h"
#include "../common/gemm/piece_launch.h"
#include "../common/gemm/thread_operands.h"
#include "../common/gemm/word_copies.h"
#include "../common/ptx/opaque.h"
#include "67_store.h"

namespace rung_67 {

// kRows x kCols sums a thread; kResident blocks per SM are to have registers.
template <int kM_, int kK_, int kRows_, int kCols_, int kResident_>
struct Tile {
    static constexpr int kM = kM_, kK = kK_, kRows = kRows_, kCols = kCols_, kResident = kResident_;
    static constexpr int kN = 16, kStages = 3;  // n of a step; steps in flight, and the one that is multiplied
    static constexpr int kChunk = kN, kLeast = kN / 2, kWarps = 1;  // cluster_work.h: all warps multiply the same n
    static constexpr int kThreadsX = kK / kCols, kThreads = kThreadsX * (kM / kRows);
    static constexpr int kStrideM = 4 * (kM / kRows), kStrideK = 4 * kThreadsX;  // from four of a thread to the next
    static constexpr int kParts = kRows * kCols > 16 ? 4 : 1;                    // of a step's copies
    static constexpr int kAhead = kM == 64 && kK == 64 ? 16 : 8;  // store_rows.h; by the registers of the loop
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

using Small = Tile<32, 32, 4, 4, 12>;
using Medium = Tile<64, 32, 4, 4, 8>;
using Wide = Tile<32, 64, 8, 4, 8>;
using Large = Tile<64, 64, 8, 4, 5>;
using Tall = Tile<128, 32, 8, 4, 5>;
using Broad = Tile<64, 128, 8, 8, 3>;
using High = Tile<128, 64, 8, 8, 3>;
using Flat = Tile<32, 128, 4, 8, 5>;

// Grid: for each product from first_product on, and each tile of it, a cluster of `blocks`, each with `depth` of N.
// With single blocks, and a depth that is not all of N, products are pieces of one: piece i has n from i * depth on.
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
    int n_begin = blocks > 1 ? cluster.rank() * depth : depth < call.N ? static_cast<int>(product) * depth : 0;
    n_begin = static_cast<int>(ladder::opaque(static_cast<unsigned>(n_begin)));  // or the loop has other registers
    const int n_count = min(call.N - n_begin, depth);
    const ladder::LanePlace place = ladder::merging_place<T::kThreadsX>(threadIdx.x % 32);
    const int y = 4 * (int(threadIdx.x) / 32 * (32 / T::kThreadsX) + place.y), x = 4 * place.x;
    if (ladder::has_arrays(call)) ladder::wait_for_kernel_before();
    ladder::WordCopies<T::kM, T::kN, T::kThreads, !kTransposeA> a(ladder::a_of(call, product), call.lda, n_begin,
                                                                  tile_row, call.M);
    ladder::WordCopies<T::kK, T::kN, T::kThreads, kTransposeB> b(ladder::b_of(call, product), call.ldb, n_begin,
                                                                 tile_col, call.K);
    ladder::wait_for_kernel_before(a.computed() | b.computed() | 1);

    // The step that is not whole comes first, so that the loop need not look for the end of N, and ends after half
    // of its n if it has no more: 4359 x 52 x 1385 takes 3 1/2 steps.
    ladder::AsyncCopies copies;
    const int some = n_count > 0 ? (n_count - 1) % T::kN + 1 : 0;
    a.request_some(copies, shared.stages[0].a, some), b.request_some(copies, shared.stages[0].b, some);
    copies.commit();
    int to_request = n_count - some;
    const auto request = [&]<int kParts>(float* own_a, float* own_b, int part) {
        a.template request_part<kParts>(copies, own_a, part, to_request > 0);
        b.template request_part<kParts>(copies, own_b, part, to_request > 0);
    };
#pragma unroll
    for (int stage = 1; stage < T::kStages - 1; ++stage) {
        auto& to = shared.stages[stage];
        if (to_request > 0) request.template operator()<1>(a.own_word(to.a), b.own_word(to.b), 0);
        copies.commit();
        to_request -= T::kN;
    }
    ladder::let_next_kernel_start();
    alignas(16) float sum[T::kRows][T::kCols] = {};
    ladder::ThreadOperands<T> of[2];
    int stage = 0, free = T::kStages - 1;  // the one that is multiplied, the one that is filled
    const float *at_a, *at_b;              // the thread's first words of a stage
    const auto wait_for = [&](typename T::Stage& next) {
        copies.wait<T::kStages - 2>();
        __syncthreads();  // it is there, and nobody reads the one before any more
        at_a = ladder::opaque_shared(&next.a[0][y]), at_b = ladder::opaque_shared(&next.b[0][x]);
    };
    wait_for(shared.stages[0]);
    of[0].read(at_a, at_b, 0);
    const auto multiply = [&]<int kCount>() {  // the first so many n of a step
        float* const own_a = ladder::opaque_shared(a.own_word(shared.stages[free].a));
        float* const own_b = ladder::opaque_shared(b.own_word(shared.stages[free].b));
        free = stage;
        stage = stage + 1 == T::kStages ? 0 : stage + 1;
#pragma unroll
        for (int n = 0; n < kCount; ++n) {
            constexpr int kApart = kCount / T::kParts;
            if (T::kParts > 1 && n % kApart == 0) request.template operator()<T::kParts>(own_a, own_b, n / kApart);
            if (n + 1 == kCount) copies.commit(), wait_for(shared.stages[stage]);
            of[(n + 1) % 2].read(at_a, at_b, (n + 1) % kCount);
            if (T::kParts == 1 && n == 0 && to_request > 0) request.template operator()<1>(own_a, own_b, 0);
            of[n % 2].multiply(sum);
        }
        to_request -= T::kN;
    };
    const bool half = some > 0 && some <= T::kLeast;
    if (half) multiply.template operator()<T::kLeast>();
    for (int left = half ? n_count - some : n_count; left > 0; left -= T::kN) multiply.template operator()<T::kN>();
    copies.wait<0>();

    store_sums<T>(shared, sum, cluster, blocks, call, product, tile_row, tile_col, y, x, vector_c);
}

template <class T>
auto kernel_for(const solve_gemm_t& call) {
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    return ta ? (tb ? small_tiles<T, true, true> : small_tiles<T, true, false>)
              : (tb ? small_tiles<T, false, true> : small_tiles<T, false, false>);
}

// A call without a bias, its tiles by clusters of so many blocks.
template <class T>
void launch(const solve_gemm_t& call, int blocks) {
    const int depth = blocks > 1 ? ladder::depth_of_pieces<T>(call.N, blocks) : call.N;
    ladder::launch_tiles<T>(kernel_for<T>(call), call, blocks, depth, ladder::Vectors(call).c);
}

// One product, N in so many pieces.
template <class T>
void launch_cut(const solve_gemm_t& call, int pieces) {
    ladder::launch_pieces<T>(kernel_for<T>(call), call, pieces);
}

template <class Visit>
void for_each_way(const solve_gemm_t& call, ladder::Vectors vectors, const ladder::DeviceFigures& device, Visit visit) {
    vectors.a = vectors.b = false;  // all copies are of words
    const auto whole = [&]<class T>(T, ladder::WayId id) {
        ladder::for_each_cluster<T>(call, vectors, device,
                                    [&](int blocks, const ladder::Work& work) { visit(id, blocks, work, launch<T>); });
    };
    const auto cut = [&]<class T>(T, ladder::WayId id) {
        ladder::for_each_cut<T>(call, vectors, device,
                                [&](int pieces, const ladder::Work& work) { visit(id, pieces, work, launch_cut<T>); });
    };
    whole(Small{}, ladder::WayId::small_32x32);
    whole(Medium{}, ladder::WayId::small_64x32);
    whole(Wide{}, ladder::WayId::small_32x64);
    whole(Large{}, ladder::WayId::small_64x64);
    whole(Tall{}, ladder::WayId::small_128x32);
    whole(Broad{}, ladder::WayId::small_64x128);
    whole(Flat{}, ladder::WayId::small_32x128);
    cut(Large{}, ladder::WayId::cut_64x64);
    cut(Tall{}, ladder::WayId::cut_128x32);
    cut(Flat{}, ladder::WayId::cut_32x128);
    cut(Broad{}, ladder::WayId::cut_64x128);
    cut(High{}, ladder::WayId::cut_128x64);
}

inline int multiply_all(const solve_gemm_t& given) {
    return ladder::launch_best(ladder::with_bias_added(given), [](auto&&... all) { for_each_way(all...); });
}

inline int multiply(const ladder::Gemm& gemm) {
    return multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_67

SOLVE_EXPORT_GEMM_AND_ALL(rung_67::multiply, rung_67::multiply_all,
                          .summary = "small tiles, any form: two or four warps, clusters of blocks or pieces of N",
                          .source = "cuBLAS (tiles of 32x32 to 64x128)", .minimum_compute_capability = 80)
