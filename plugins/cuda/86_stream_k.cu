// The last wave of tiles is cut along N (stream-K), so that all SMs have equally much to do in it.
//
// Against 84: the tiles that remain after the full waves are one range of steps along N, tile after
// tile, of which each block takes an equal part. 3072 x 3072 are 288 tiles of 128 x 256: 2.2 waves on 132 SMs, not 3. A
// piece that is not a whole tile goes to workspace, and a second kernel, stream-K's fix-up, adds the pieces in the
// order of n: the same bits every run. The warps copy as in 82 and multiply as in 84.
//
// That costs a launch, and the pieces are written and read back. So the host estimates each tile without a cut, with
// one among all SMs, and with one that gives all cut tiles equally many blocks, so fewer pieces, and takes the fastest.
//
// Limit: issue slots: 93 of 100 are FFMA where nothing waits; power from 8192 on. For small products the start, some 3
// us until the first copies arrive and the last sums are stored, and 3 us more where a second kernel adds.
// Source: Stream-K.
// build: least=90 as=90a
#include <algorithm>

#include "../common/export/workspace.h"
#include "../common/gemm/add_cut_tiles.h"
#include "../common/ptx/register_share.h"
#include "84_two_tiles.cu"

namespace rung_86 {

using namespace ladder::warp64x64;
using rung_82::kConsumers, rung_82::kProducers;
using rung_84::Large, rung_84::Small;
using Narrow = rung_84::Tile<128, 64, 5>;  // Small with kM, kK swapped: at 130 to 190 columns others are a third empty

// Block b takes the whole tiles b, b + blocks, b + 2 blocks, ... The steps of the tiles after those, tile after tile,
// are one range, which is cut into as many equal parts as there are blocks for it, the b-th of them for block b.
struct Partition {
    int steps;                // of a tile, along N
    int whole;                // tiles
    int cut;                  // tiles after the whole ones
    int blocks_of_remainder;  // the blocks that share those: 0 to blocks_of_remainder - 1

    // The step at which a block's part of the range begins. The first parts are longer by a step if they cannot all be
    // alike.
    __host__ __device__ int begin(int block) const {
        const int each = cut * steps / blocks_of_remainder, longer = cut * steps % blocks_of_remainder;
        return block * each + (block < longer ? block : longer);
    }

    // The block whose part that step belongs to.
    __host__ __device__ int block_of(int step) const {
        const int each = cut * steps / blocks_of_remainder, longer = cut * steps % blocks_of_remainder,
                  in_longer = longer * (each + 1);
        return step < in_longer ? step / (each + 1) : longer + (step - in_longer) / each;
    }

    // Where a block leaves a piece that is not a whole tile: it has at most one that begins within a tile, and one that
    // ends within a tile without having begun in it.
    static __host__ __device__ int slot_of(int block, bool begins_within) {
        return 2 * block + (begins_within ? 0 : 1);
    }

    template <class T>
    size_t bytes_of_pieces() const {
        return cut > 0 ? 2 * size_t(blocks_of_remainder) * T::kM * T::kK * sizeof(float) : 0;
    }
};

// The pieces of one block, in the order in which it works on them.
class Pieces {
  public:
    __device__ __forceinline__ explicit Pieces(const Partition& partition)
        : partition_(partition), tile_(blockIdx.x), at_(0), end_(0) {
        const int block = blockIdx.x;
        if (partition.cut > 0 && block < partition.blocks_of_remainder)
            at_ = partition.begin(block), end_ = partition.begin(block + 1);
    }

    __device__ __forceinline__ bool next(ladder::Piece& piece) {
        if (tile_ < partition_.whole) {
            piece = {tile_, 0, partition_.steps};
            tile_ += gridDim.x;
            return true;
        }
        if (at_ == end_) return false;
        const int tile = at_ / partition_.steps, start = tile * partition_.steps;
        piece = {partition_.whole + tile, at_ - start, min(end_ - start, partition_.steps)};
        at_ = start + piece.end;
        return true;
    }

  private:
    const Partition& partition_;
    int tile_, at_, end_;
};

// What the consumer warps do: as in 84, but what is not a whole tile goes to `pieces`. kWords: as there.
template <class T, bool kVector, bool kWords>
__device__ __forceinline__ void consume(typename T::Shared& shared, float* C, int64_t ldc, int M, int K,
                                        const Partition& partition, float* pieces, float alpha, float beta,
                                        bool vector_c, const float* bias) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = warp % T::kParts;
    const int slice = T::kSlices == 1 ? 0 : warp / T::kParts;
    const Place place = place_in_tile<T::kK>(part, lane);
    Operands operands;
    int parity = 0;
    ladder::Ring<T> ring(shared);
    Consumer<T> consumer(ring, operands, place, slice);
    Pieces walk(partition);
    for (ladder::Piece piece; walk.next(piece);) {
        alignas(16) float sum[kRows][kCols] = {};
        consumer.multiply(piece.begin, piece.end, sum);
        scale(sum, alpha);
        const int2 corner = ladder::corner_of<T::kM, T::kK>(piece.tile, M, K);
        const bool whole = piece.begin == 0 && piece.end == partition.steps;
        if (whole && bias && slice == 0) add_bias<kVector>(sum, bias + corner.y, K - corner.y, place);
        const Target target{
            .c = C + int64_t{corner.x} * ldc + corner.y,
            .ldc = ldc,
            .rows = M - corner.x,
            .cols = K - corner.y,
            .beta = beta,
            .vector = vector_c,
            .piece =
                whole ? nullptr : pieces + Partition::slot_of(blockIdx.x, piece.begin > 0) * int64_t{T::kM * T::kK}};
        rung_84::store_sums<T, kVector, kWords>(shared, sum, place, target, parity);
    }
}

template <class T, bool kVector, bool kWords = !kVector>
__global__ void __launch_bounds__(kConsumers + kProducers, 1)
    stream_k(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
             Partition partition, float* pieces, float alpha, float beta, bool vector_c, const float* bias) {
    if (!ladder::kHasMbarrier) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    rung_84::start<T>(shared);
    if (threadIdx.x >= kConsumers) {
        ladder::give_registers<72>();
        rung_82::produce<T, kVector, Pieces, true>(shared, A, lda, B, ldb, M, N, K, partition);
    } else {
        ladder::take_registers<216>();
        consume<T, kVector, kWords>(shared, C, ldc, M, K, partition, pieces, alpha, beta, vector_c, bias);
    }
}

// A way to divide a product, and the cycles that it is expected to take.
struct Plan {
    Partition partition{};
    double cycles = ladder::kNever;
};

// Against wave_cost.h the last wave is as long as the longest part of the range. The second kernel's launch is 5000
// cycles, and pieces go to L2 and back at 1800 bytes a cycle.
template <class T>
Plan plan_for(const ladder::Speed& speed, int M, int N, int K, int sms) {
    const int64_t tiles = ladder::tiles_of<T>(M, K), waves = ladder::waves_of(tiles, sms);
    const int steps = ladder::ceil_div(N, T::kN);
    Plan best{{steps, int(tiles), 0, 1}, ladder::wave_cycles<T>(speed, waves, N)};
    const int cut = int(tiles % sms);
    const int64_t range = int64_t{cut} * steps;
    if (range > INT32_MAX) return best;  // too many steps to count
    for (const int most : {sms, cut ? sms / cut * cut : 0}) {
        const int blocks = std::min(most, static_cast<int>(range / 2));  // two steps each at least
        if (blocks <= cut) continue;
        const int64_t longest = (range + blocks - 1) / blocks;
        const double pieces = blocks % cut ? blocks + cut : blocks;
        const double adding = 5000 + 2 * pieces * T::kM * T::kK * sizeof(float) / 1800;
        const double last_wave = longest * ladder::step_cycles<T>(speed) + 2 * ladder::kStoreCycles<T>;
        const double cycles = ladder::wave_cycles<T>(speed, waves - 1, N) + last_wave + adding;
        if (cycles < best.cycles) best = {{steps, int(tiles) - cut, cut, blocks}, cycles};
    }
    return best;
}

template <class T>
void launch(const ladder::Gemm& gemm, Partition partition, int sms) {
    const bool b = gemm.quads_of_b(), c = gemm.vector_c();
    const ladder::Workspace workspace(partition.bytes_of_pieces<T>(), gemm.stream, gemm.workspace);
    if (!workspace.data()) partition.whole += partition.cut, partition.cut = 0;  // not needed, or not to be had
    const int blocks = std::max(partition.whole, partition.cut > 0 ? partition.blocks_of_remainder : 0);
    const auto kernel = !b ? stream_k<T, false> : c ? stream_k<T, true> : stream_k<T, true, true>;
    ladder::allow_shared(kernel, sizeof(typename T::Shared));
    ladder::launch_early(kernel, dim3(std::min(blocks, sms)), kConsumers + kProducers, sizeof(typename T::Shared),
                         gemm.stream, gemm.A, gemm.lda, gemm.B, gemm.ldb, gemm.C, gemm.ldc, gemm.M, gemm.N, gemm.K,
                         partition, workspace.data(), gemm.alpha, gemm.beta, c, gemm.bias);
    if (partition.cut == 0) return;
    const auto add = b ? ladder::add_cut<T, true, Partition> : ladder::add_cut<T, false, Partition>;
    add(workspace.data(), partition, gemm.C, gemm.ldc, gemm.M, gemm.K, gemm.beta, c, gemm.stream, gemm.bias);
}

inline void multiply(const ladder::Gemm& gemm) {
    const int sms = ladder::sm_count();
    const Plan large = plan_for<Large>(rung_84::kSpeedOfLarge, gemm.M, gemm.N, gemm.K, sms);
    const Plan small = plan_for<Small>(rung_84::kSpeedOfSmall, gemm.M, gemm.N, gemm.K, sms);
    const Plan narrow = plan_for<Narrow>(rung_84::kSpeedOfSmall, gemm.M, gemm.N, gemm.K, sms);
    if (large.cycles < std::min(small.cycles, narrow.cycles)) return launch<Large>(gemm, large.partition, sms);
    if (narrow.cycles < small.cycles) return launch<Narrow>(gemm, narrow.partition, sms);
    launch<Small>(gemm, small.partition, sms);
}

}  // namespace rung_86

SOLVE_EXPORT_GEMM(rung_86::multiply, .summary = "84 with the last wave of tiles cut along N", .source = "Stream-K",
                  .minimum_compute_capability = 90)
