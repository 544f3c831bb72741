// Operands that lie transposed, at the speed of those that do not, and the products of a batch as one walk of tiles.
//
// Against 86: in shared memory both tiles are [n][row] and [n][column], so the loop is the same; what differs is how
// they get there. An operand whose rows in memory run along n, A or a transposed B, comes a word at a time and is
// transposed on its way, 8 or 16 words of a row by as many lanes; one whose rows run across n, B or a transposed A,
// comes 16 bytes at a time. If both are transposed, the tile is 256 x 128, and the copies are as many as in 86.
//
// The tiles of all products of a batch are one list. 96 products of 512 x 64 x 512 are 768 tiles of 8 steps: one
// launch, and while the consumers on one SM store a tile, its producers fetch the next one, of whatever product.
//
// Limit: as for 86. Where both operands come in words a thread makes 24 copies for 8 n, not 12: 89 avoids that.
// Source: CUTLASS (its layouts).
// build: least=90 as=90a
#include <type_traits>

#include "../common/gemm/copies_of_operand.h"
#include "86_stream_k.cu"

namespace rung_88 {

using namespace ladder::warp64x64;
using rung_82::kConsumers, rung_82::kProducers, rung_86::Partition;

constexpr int kPaddingB = 4;  // words at the end of a row of B's tile: the 8 n of a sector are in different banks
using Large = rung_84::Tile<128, 256, 8, kPaddingB>;
using Tall = rung_84::Tile<256, 128, 8, kPaddingB>;
using Small = rung_84::Tile<64, 128, 5, kPaddingB>;
using Narrow = rung_84::Tile<128, 64, 5, kPaddingB>;

// What the producer warps do: as in 82. kVector: operands whose rows run across n can be read 16 bytes at a time.
template <class T, bool kTransposeA, bool kTransposeB, bool kVector>
__device__ __forceinline__ void produce(typename T::Shared& shared, const solve_gemm_t& call, int tiles_of_product,
                                        const Partition& partition) {
    constexpr int kWidth = kVector ? 4 : 1;
    using CopiesOfA = std::conditional_t<kTransposeA, ladder::CopiesOfRows<T::kM, T::kN, kWidth, kProducers>,
                                         ladder::CopiesOfLines<T::kM, T::kN, kProducers>>;
    using CopiesOfB = std::conditional_t<kTransposeB, ladder::CopiesOfLines<T::kK, T::kN, kProducers>,
                                         ladder::CopiesOfRows<T::kK, T::kN, kWidth, kProducers>>;
    const int M = call.M, N = call.N, K = call.K;
    ladder::Ring<T> ring(shared);
    ladder::AsyncCopies copies;
    rung_86::Pieces walk(partition);
    if (ladder::has_arrays(call)) ladder::wait_for_kernel_before();
    for (ladder::Piece piece; walk.next(piece);) {
        const int product = piece.tile / tiles_of_product;
        const int2 corner = ladder::corner_of<T::kM, T::kK>(piece.tile % tiles_of_product, M, K);
        const int first = piece.begin * T::kN;
        CopiesOfA a(ladder::a_of(call, product), call.lda, first, corner.x, M);
        CopiesOfB b(ladder::b_of(call, product), call.ldb, first, corner.y, K);
        ladder::wait_for_kernel_before(a.computed() | b.computed());
        const int rows = M - corner.x, cols = K - corner.y;
        // Rows of the operands from which a whole tile can be read.
        const int safe = min(CopiesOfA::rows(N, corner.x, M), CopiesOfB::rows(N, corner.y, K));
        const int whole = min(piece.end, max(safe, 0) / T::kN);
        const auto fill = [&]<bool kAtOnce, bool kAll>(std::bool_constant<kAtOnce>, std::bool_constant<kAll>,
                                                       typename T::Stage& stage, int step) {
            const int left = kAtOnce ? T::kN : N - step * T::kN;
            a.template request<kAll>(copies, stage.a, left, kAtOnce && !CopiesOfA::kDeep ? T::kM : rows);
            b.template request<kAll>(copies, stage.b, left, kAtOnce && !CopiesOfB::kDeep ? T::kK : cols);
            stage.full.arrive_after(copies);
        };
        const bool all = (!CopiesOfA::kDeep || rows >= T::kM) && (!CopiesOfB::kDeep || cols >= T::kK);
        ladder::fill_steps<!CopiesOfA::kDeep && !CopiesOfB::kDeep>(ring, piece.begin, piece.end, whole, all, fill);
    }
    // The consumers look one stage past the last.
    ring.stage->empty.wait(ring.parity ^ 1);
    ring.stage->full.arrive();
}

// What the consumer warps do: as in 86. kFirst, kFirstRow: as those of Consumer. kWords: as in 84, where registers
// allow.
template <class T, int kFirst, int kFirstRow, bool kWords, bool kLinesA, bool kLinesB>
__device__ __forceinline__ void consume(typename T::Shared& shared, const solve_gemm_t& call, int tiles_of_product,
                                        const Partition& partition, float* pieces, bool vector_c) {
    const int warp = threadIdx.x / 32, slice = T::kSlices == 1 ? 0 : warp / T::kParts;
    const Place place = place_in_tile<T::kK>(warp % T::kParts, threadIdx.x % 32);
    Operands operands;
    int parity = 0;
    ladder::Ring<T> ring(shared);
    Consumer<T, kFirst, kFirstRow> consumer(ring, operands, place, slice);
    rung_86::Pieces walk(partition);
    for (ladder::Piece piece; walk.next(piece);) {
        alignas(16) float sum[kRows][kCols] = {};
        consumer.multiply(piece.begin, piece.end, sum);
        scale(sum, call.alpha);
        const int2 corner = ladder::corner_of<T::kM, T::kK>(piece.tile % tiles_of_product, call.M, call.K);
        const bool whole = piece.begin == 0 && piece.end == partition.steps;
        const Target target{
            .c = ladder::c_of(call, piece.tile / tiles_of_product) + int64_t{corner.x} * call.ldc + corner.y,
            .ldc = call.ldc,
            .rows = call.M - corner.x,
            .cols = call.K - corner.y,
            .beta = call.beta,
            .vector = vector_c,
            .piece =
                whole ? nullptr : pieces + Partition::slot_of(blockIdx.x, piece.begin > 0) * int64_t{T::kM * T::kK}};
        rung_84::store_sums<T, true, kWords, kLinesA, kLinesB>(shared, sum, place, target, parity);
    }
}

template <class T, bool kTransposeA, bool kTransposeB, bool kVector>
__global__ void __launch_bounds__(kConsumers + kProducers, 1)
    transposed(solve_gemm_t call, int tiles_of_product, Partition partition, float* pieces, bool vector_c) {
    if (!ladder::kHasMbarrier) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    rung_84::start<T>(shared);
    if (threadIdx.x >= kConsumers) {
        ladder::give_registers<72>();
        produce<T, kTransposeA, kTransposeB, kVector>(shared, call, tiles_of_product, partition);
    } else {
        ladder::take_registers<216>();
        constexpr bool kNT = !kTransposeA && kTransposeB, kTN = kTransposeA && !kTransposeB;
        constexpr int kFirst = T::kSlices == 1 ? (kNT ? 5 : kTN ? 3 : 4) : kNT ? (T::kM < T::kK ? 5 : 4) : 0;
        constexpr int kFirstRow = T::kSlices == 1 && kTN ? 4 : 0;
        consume<T, kFirst, kFirstRow, T::kSlices != 1 || !kNT, !kTransposeA, kTransposeB>(
            shared, call, tiles_of_product, partition, pieces, vector_c);
    }
}

// The last wave of a single product is cut as in 86; the tiles of several are one walk.
template <class T>
rung_86::Plan plan_for(const solve_gemm_t& call, int sms) {
    constexpr ladder::Speed speed = T::kSlices > 1 ? rung_84::kSpeedOfSmall : rung_84::kSpeedOfLarge;
    if (call.batch == 1 && !call.C_array) return rung_86::plan_for<T>(speed, call.M, call.N, call.K, sms);
    const int64_t tiles = call.batch * ladder::tiles_of<T>(call.M, call.K);
    const double cycles = ladder::wave_cycles<T>(speed, ladder::waves_of(tiles, sms), call.N);
    return {{ladder::ceil_div(call.N, T::kN), static_cast<int>(tiles), 0, 1},
            tiles > INT32_MAX / 2 ? ladder::kNever : cycles};
}

template <class T, bool kTransposeA, bool kTransposeB>
void launch_as(const solve_gemm_t& call, Partition partition, int sms) {
    const auto stream = static_cast<cudaStream_t>(call.stream);
    const bool a = !kTransposeA || ladder::quads_of_a(call);
    const bool b = kTransposeB || ladder::quads_of_b(call);
    const bool vector_c = ladder::vector_operand(call.C, call.C_array, call.ldc, call.stride_c, call.K);
    constexpr bool kAcross = kTransposeA || !kTransposeB;  // an operand's rows run across n
    const auto kernel =
        a && b ? transposed<T, kTransposeA, kTransposeB, kAcross> : transposed<T, kTransposeA, kTransposeB, false>;
    const ladder::Workspace workspace(partition.bytes_of_pieces<T>(), stream, {call.workspace, call.workspace_bytes});
    if (!workspace.data()) partition.whole += partition.cut, partition.cut = 0;  // not needed, or not to be had
    const int blocks = std::max(partition.whole, partition.cut > 0 ? partition.blocks_of_remainder : 0);
    ladder::allow_shared(kernel, sizeof(typename T::Shared));
    ladder::launch_early(kernel, dim3(std::min(blocks, sms)), kConsumers + kProducers, sizeof(typename T::Shared),
                         stream, call, static_cast<int>(ladder::tiles_of<T>(call.M, call.K)), partition,
                         workspace.data(), vector_c);
    if (partition.cut == 0) return;
    ladder::add_cut<T, true>(workspace.data(), partition, call.C, call.ldc, call.M, call.K, call.beta, vector_c,
                             stream);
}

// If both operands are transposed, the tall tile is the one whose copies are as many as those of 86. If A alone is, all
// copies are of 16 bytes with either: 6356 x 1419 x 1617 takes 567 us in tall tiles and 611 in wide ones.
template <class T>
void launch(const solve_gemm_t& call, const Partition& partition, int sms) {
    constexpr bool kAny = T::kSlices > 1, kTall = !kAny && T::kM > T::kK;
    const bool a = call.transpose_a == SOLVE_T, b = call.transpose_b == SOLVE_T;
    if constexpr (kTall || kAny) {
        if (a && b) return launch_as<T, true, true>(call, partition, sms);
        if (kTall && a) return launch_as<T, true, false>(call, partition, sms);
    }
    if constexpr (!kTall) {
        if (a) return launch_as<T, true, false>(call, partition, sms);
        b ? launch_as<T, false, true>(call, partition, sms) : launch_as<T, false, false>(call, partition, sms);
    }
}

// How a call is expected to be fastest here.
struct Choice {
    void (*launch)(const solve_gemm_t& call, const Partition& partition, int sms);
    rung_86::Plan plan;
};

inline Choice choose(const solve_gemm_t& call, int sms) {
    const auto by = [&]<class T>(T) { return Choice{launch<T>, plan_for<T>(call, sms)}; };
    const bool both = call.transpose_a == SOLVE_T && call.transpose_b == SOLVE_T;
    const auto cycles = [](const Choice& each) { return each.plan.cycles; };
    Choice large = both ? by(Tall{}) : by(Large{});
    if (call.transpose_a == SOLVE_T && !both) large = std::ranges::min(large, by(Tall{}), {}, cycles);
    return std::ranges::min({by(Small{}), by(Narrow{}), large}, {}, cycles);
}

inline int multiply_all(const solve_gemm_t& call) {
    const int sms = ladder::sm_count();
    const Choice choice = choose(call, sms);
    if (choice.plan.cycles == ladder::kNever) return ladder::fail("more tiles than can be counted"), SOLVE_UNSUPPORTED;
    choice.launch(ladder::with_bias_added(call), choice.plan.partition, sms);
    return SOLVE_OK;
}

inline void multiply(const ladder::Gemm& gemm) {
    multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_88

SOLVE_EXPORT_GEMM_AND_ALL(rung_88::multiply, rung_88::multiply_all,
                          .summary = "86 with operands that lie transposed, and one walk over the tiles of a batch",
                          .source = "CUTLASS (its layouts)", .minimum_compute_capability = 90)
