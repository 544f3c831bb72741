// The tile follows the shape: 128 x 256, or 64 x 128 where that keeps more SMs busy.
//
// Against 82: 1024 x 1024 are 32 tiles of 128 x 256, for 132 SMs, but 128 of 64 x 128. A warp multiplies 64 x 64
// outputs in either, as fast as shared memory allows, so eight warps are too many for the small tile's two parts. Four
// share each: they are slices, and each multiplies its own 8 n of every stage, which is 32 n long. At the tile's end
// they add their sums through shared memory, each a part of the rows. The host estimates the time of both tiles and
// takes the better.
//
// The next product may begin before this one has ended (early_launch.h): 1024 x 1024 x 1024 by the large tile went from
// 37.8 to 40.6 TFLOP/s with that. The small one reaches 0.83 of the FFMA peak in its loop, the large one 0.87. Tiles of
// 64 x 256 and 64 x 64 were measured too: only 64 x 16384 x 64 and the like miss one, and 69 is better at these.
//
// Limit: for small products the start, some 3 us until the first copies arrive and the last sums are stored. For others
// the last wave: 3072 x 3072 are 288 tiles of 128 x 256, 2.2 waves on 132 SMs, and take the time of 3.
// Source: CUTLASS (sliced-K).
// build: least=90 as=90a
#include "../common/export/device.h"
#include "../common/gemm/slice_sums.h"
#include "../common/gemm/wave_cost.h"
#include "../common/ptx/early_launch.h"
#include "../common/ptx/register_share.h"
#include "82_lean_copies.cu"

namespace rung_84 {

using namespace ladder::warp64x64;
using rung_82::kConsumers, rung_82::kProducers;

constexpr int kWarps = kConsumers / 32;  // that multiply

template <int kM_, int kK_, int kStages_, int kPaddingB = 0>
struct Tile {
    static constexpr int kM = kM_, kK = kK_, kStages = kStages_;
    static constexpr int kParts = kM / kWarpM * (kK / kWarpK);
    static constexpr int kSlices = kWarps / kParts;  // warps that share a part
    static constexpr int kDepth = 8;                 // n of a stage that a warp multiplies
    static constexpr int kN = kDepth * kSlices;
    static constexpr int kOwn = kRows / kSlices;  // rows of a thread that it sums over the slices
    static constexpr int kPitchA = kM + 4, kPitchB = kK + kPaddingB;

    struct alignas(16) Stage {
        float a[kN][kPitchA];
        float b[kN][kPitchB];
        ladder::Mbarrier full, empty;
    };
    struct Shared {
        Stage stages[kStages];
        // From each warp to each other slice: the rows that the receiving slice adds, four columns per lane, or, on
        // their way to C, rows.
        alignas(16) float sums[kSlices > 1 ? kWarps*(kSlices - 1) * kOwn* kCols * 32 : kWarps* kStagedWords];
        ladder::Mbarrier written, read;  // sums
    };

    static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");
    static_assert(kWarps % kParts == 0 && kRows % kSlices == 0, "as many slices of each part, and rows of each slice");
    static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");
};

using Large = Tile<128, 256, 8>;
using Small = Tile<64, 128, 5>;

// Stores the sums of this warp's part, or its slice of them. kWords: to unaligned rows by way of shared memory.
// kLinesA, kLinesB: as for add_slices().
template <class T, bool kVector, bool kWords = !kVector, bool kLinesA = false, bool kLinesB = false>
__device__ __forceinline__ void store_sums(typename T::Shared& shared, const float (&sum)[kRows][kCols], Place place,
                                           const Target& target, int& parity) {
    const int warp = threadIdx.x / 32, slice = warp / T::kParts, lane = threadIdx.x % 32;
    const bool words = kWords && !target.piece && !(kVector && target.vector);
    if constexpr (T::kSlices > 1) {
        alignas(16) float own[T::kOwn][kCols] = {};
        float* const read = add_slices<T, kLinesA, kLinesB>(shared, sum, own, parity);
        parity ^= 1;
        if (words) store_words<kWarpK, kVector>(read, own, slice * T::kOwn, place, target);
        __syncwarp();
        if (lane == 0) shared.read.arrive();
        if (!words) store<T::kK, kVector, !kWords>(own, slice * T::kOwn, place, target);
    } else {
        words ? store_words<kPitchC, kVector>(shared.sums + warp * kStagedWords, sum, 0, place, target)
              : store<T::kK, kVector, !kWords>(sum, 0, place, target);
    }
}

// What the consumer warps do.
template <class T, bool kVector>
__device__ __forceinline__ void consume(typename T::Shared& shared, float* C, int64_t ldc, int M, int K,
                                        const ladder::WholeTiles::Count& work, float alpha, float beta, bool vector_c) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = warp % T::kParts;
    const int slice = T::kSlices == 1 ? 0 : warp / T::kParts;
    const Place place = place_in_tile<T::kK>(part, lane);
    Operands operands;
    ladder::Ring<T> ring(shared);
    int parity = 0;
    Consumer<T> consumer(ring, operands, place, slice);
    ladder::WholeTiles walk(work);
    for (ladder::Piece piece; walk.next(piece);) {
        alignas(16) float sum[kRows][kCols] = {};
        consumer.multiply(piece.begin, piece.end, sum);
        scale(sum, alpha);
        const int2 corner = ladder::corner_of<T::kM, T::kK>(piece.tile, M, K);
        const Target target{C + int64_t{corner.x} * ldc + corner.y, ldc, M - corner.x, K - corner.y, beta, vector_c};
        store_sums<T, kVector>(shared, sum, place, target, parity);
    }
}

// How both kinds of warps begin: the barriers are made, and the consumers wait for the kernel before. The producers do
// so once they have computed their addresses: 1024 x 1024 x 1024 takes 42.9 us for 43.4 (86, H200).
template <class T>
__device__ __forceinline__ void start(typename T::Shared& shared) {
    if (threadIdx.x == 0) {
        for (typename T::Stage& stage : shared.stages) {
            stage.full.init(kProducers);
            stage.empty.init(kWarps);
        }
        shared.written.init(kWarps);
        shared.read.init(kWarps);
    }
    ladder::let_next_kernel_start();
    __syncthreads();
    if (threadIdx.x < kConsumers) ladder::wait_for_kernel_before();
}

template <class T, bool kVector>
__global__ void __launch_bounds__(kConsumers + kProducers, 1)
    two_tiles(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
              ladder::WholeTiles::Count work, float alpha, float beta, bool vector_c) {
    if (!ladder::kHasMbarrier) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    start<T>(shared);
    if (threadIdx.x >= kConsumers) {
        ladder::give_registers<64>();
        rung_82::produce<T, kVector, ladder::WholeTiles, true>(shared, A, lda, B, ldb, M, N, K, work);
    } else {
        ladder::take_registers<216>();
        consume<T, kVector>(shared, C, ldc, M, K, work, alpha, beta, vector_c);
    }
}

template <class T>
void launch(const ladder::Gemm& gemm, int sms) {
    const auto kernel = gemm.vector_b() ? two_tiles<T, true> : two_tiles<T, false>;
    ladder::allow_shared(kernel, sizeof(typename T::Shared));
    const auto tiles = static_cast<int>(ladder::tiles_of<T>(gemm.M, gemm.K));
    ladder::launch_early(kernel, dim3(tiles < sms ? tiles : sms), kConsumers + kProducers, sizeof(typename T::Shared),
                         gemm.stream, gemm.A, gemm.lda, gemm.B, gemm.ldb, gemm.C, gemm.ldc, gemm.M, gemm.N, gemm.K,
                         ladder::WholeTiles::Count{tiles, ladder::ceil_div(gemm.N, T::kN)}, gemm.alpha, gemm.beta,
                         gemm.vector_c());
}

constexpr ladder::Speed kSpeedOfLarge{0.87, 14000}, kSpeedOfSmall{0.83, 7000};  // roughly, on an H100

template <class = void>  // see 82
void multiply(const ladder::Gemm& gemm) {
    const int sms = ladder::sm_count();
    const double large = ladder::wave_cycles<Large>(kSpeedOfLarge, gemm.M, gemm.N, gemm.K, sms);
    const double small = ladder::wave_cycles<Small>(kSpeedOfSmall, gemm.M, gemm.N, gemm.K, sms);
    large < small ? launch<Large>(gemm, sms) : launch<Small>(gemm, sms);
}

}  // namespace rung_84

SOLVE_EXPORT_GEMM(rung_84::multiply<>, .summary = "82 with a second, smaller tile, whose warps are slices",
                  .source = "CUTLASS (sliced-K)", .minimum_compute_capability = 90)
