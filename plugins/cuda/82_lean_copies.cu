// The copying (producer) warps need few instructions, since the multiplying (consumer) ones want every issue slot.
//
// Against 80: its copying warps' 93 instructions for 8 n were 4 % of all that are issued. Here they are 24, or 36
// where B comes in words, which is worth 5 % from 2048 on:
//   - The whole ring is filled at a time, so every place in shared memory is known, and nothing is compared: neither N,
//     of which enough is left, nor K. Right of C's last column a copy reads on, into the padding and the next rows,
//     if there are any; it ends in sums that are not stored. The rest goes stage by stage, as in 80.
//   - The barriers are in the stages, so that one address leads to all of a stage (ring.h).
//   - Pointers step as the source says (opaque.h). nvcc would compute some of them anew, and keep others twice.
//
// The loop of the FFMA is that of 80 but for their order (consumer.h). And rows of C that do not begin at multiples of
// 16 bytes are stored by way of shared memory, whole lines of them (warp64x64_store.h): 3 % at 4095.
//
// Limit: issue slots: 93 of 100 are FFMA where nothing waits; power from 8192 on; the last wave, as in 80.
// Source: this ladder's own, on CUTLASS (warp-specialised persistent).
// build: least=90 as=90a
#include <type_traits>

#include "../common/export/device.h"
#include "../common/export/gemm.h"
#include "../common/gemm/consumer.h"
#include "../common/gemm/copies_of_a.h"
#include "../common/gemm/tile_order.h"
#include "../common/gemm/tile_walk.h"
#include "../common/gemm/warp64x64_store.h"
#include "../common/ptx/register_share.h"

namespace rung_82 {

using namespace ladder::warp64x64;  // a warp's 64 x 64 outputs: kRows x kCols a thread

constexpr int kConsumers = 256;  // threads
constexpr int kProducers = 128;

static_assert(kProducers == 128 && kConsumers % 128 == 0, "whole warpgroups");

// A block's tile of C is kM x kK and it walks along N, the contraction, in steps of kN.
struct Tile {
    static constexpr int kM = 128, kK = 256, kN = 8, kStages = 8;
    static constexpr int kDepth = kN;  // n of a stage that a warp multiplies
    static constexpr int kPitchA = kM + 4, kPitchB = kK;

    struct alignas(16) Stage {
        float a[kN][kPitchA];
        float b[kN][kPitchB];
        ladder::Mbarrier full, empty;
    };
    struct Shared {
        Stage stages[kStages];
        alignas(16) float staged[kConsumers / 32 * kStagedWords];  // rows on their way to C
    };

    static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");
    static_assert(kM / kWarpM * (kK / kWarpK) * 32 == kConsumers, "a part of the tile for each warp");
    static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");
};

// What the producer warps do: fill the ring with tiles of A and B, as fast as it empties. T is a tile as above. Walk,
// a tile scheduler, says what the block works on, made of `work`: WholeTiles here (tile_walk.h). kEarly: the kernel
// before may still run, and is waited for once the first addresses are computed (84).
template <class T, bool kVector, class Walk, bool kEarly = false, class Work>
__device__ __forceinline__ void produce(typename T::Shared& shared, const float* A, int64_t lda, const float* B,
                                        int64_t ldb, int M, int N, int K, const Work& work) {
    const int thread = threadIdx.x % kProducers;
    using CopiesOfA = ladder::CopiesOfA<T::kM, T::kN, kProducers>;
    constexpr int kWidth = kVector ? 4 : 1;                            // floats a copy
    constexpr int kLanes = T::kK / kWidth < 32 ? T::kK / kWidth : 32;  // that copy a row of B
    constexpr int kPassN = kProducers / kLanes, kPassCols = kLanes * kWidth;
    const int b_n = thread / kLanes, b_col = thread % kLanes * kWidth;
    const int b_place = ladder::place_of<kVector>(b_col);
    static_assert(T::kN % kPassN == 0 && T::kK % kPassCols == 0, "whole passes");

    ladder::Ring<T> ring(shared);
    ladder::AsyncCopies copies;
    Walk walk(work);
    for (ladder::Piece piece; walk.next(piece);) {
        const int2 corner = ladder::corner_of<T::kM, T::kK>(piece.tile, M, K);
        const int first = piece.begin * T::kN;
        const CopiesOfA a(threadIdx.x % kProducers);
        const float* from_a[CopiesOfA::kAddresses];
        a.begin(from_a, A, lda, corner.x, M - corner.x, first);
        const float* from_b = B + (first + b_n) * ldb + corner.y + b_col;
        if constexpr (kEarly) ladder::wait_for_kernel_before(CopiesOfA::computed(from_a) | ladder::bits(from_b));

        // Of the rows of B, those from which a whole tile can be read. Past the last column there are the padding and
        // the next rows then, and they end in sums that are not stored.
        const int past = static_cast<unsigned>(corner.y) + T::kK - K;  // unsigned: the sum may pass 2^31
        const int whole = min(piece.end, max(N - max(past, 0), 0) / T::kN);
        // Past N there are zeros, in A and in B: in one alone they would meet whatever the other holds, and 0 * Inf is
        // NaN.
        const auto fill = [&]<bool kAtOnce, bool kAll>(std::bool_constant<kAtOnce>, std::bool_constant<kAll>,
                                                       typename T::Stage& stage, int step) {
            const int left = kAtOnce ? T::kN : N - step * T::kN, cols = kAtOnce ? T::kK : K - corner.y;
            a.template request<kAll>(copies, stage.a, from_a, lda, left, M - corner.x);
#pragma unroll
            for (int n = 0; n < T::kN; n += kPassN) {
#pragma unroll
                for (int col = 0; col < T::kK; col += kPassCols) {
                    const bool inside = n + b_n < left && b_col + col < cols;
                    if constexpr (kVector) {
                        copies.copy16(&stage.b[n + b_n][col + b_place], from_b + col, inside);
                    } else {
                        copies.copy4(&stage.b[n + b_n][col + b_place], from_b + col, inside);
                    }
                }
                from_b = ladder::opaque(from_b + kPassN * ldb);
            }
            stage.full.arrive_after(copies);
        };
        ladder::fill_steps<!CopiesOfA::kDeep>(ring, piece.begin, piece.end, whole, M - corner.x >= T::kM, fill);
    }
    // The consumers look one stage past the last.
    ring.stage->empty.wait(ring.parity ^ 1);
    ring.stage->full.arrive();
}

// What the consumer warps do.
template <class T, bool kVector>
__device__ __forceinline__ void consume(typename T::Shared& shared, float* C, int64_t ldc, int M, int K,
                                        const ladder::WholeTiles::Count& work, float alpha, float beta, bool vector_c) {
    const int warp = threadIdx.x / 32;
    const Place place = place_in_tile<T::kK>(warp, threadIdx.x % 32);
    Operands operands;
    ladder::Ring<T> ring(shared);
    Consumer<T> consumer(ring, operands, place, 0);
    ladder::WholeTiles walk(work);
    for (ladder::Piece piece; walk.next(piece);) {
        alignas(16) float sum[kRows][kCols] = {};
        consumer.multiply(piece.begin, piece.end, sum);
        scale(sum, alpha);
        const int2 corner = ladder::corner_of<T::kM, T::kK>(piece.tile, M, K);
        const Target target{C + int64_t{corner.x} * ldc + corner.y, ldc, M - corner.x, K - corner.y, beta, vector_c};
        if constexpr (kVector) {  // where B is aligned, so is C, nearly always
            store<T::kK, kVector, kVector>(sum, 0, place, target);
        } else {
            store_words<kPitchC, kVector>(shared.staged + warp * kStagedWords, sum, 0, place, target);
        }
    }
}

template <bool kVector>
__global__ void __launch_bounds__(kConsumers + kProducers, 1)
    lean_copies(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
                ladder::WholeTiles::Count work, float alpha, float beta, bool vector_c) {
    if (!ladder::kHasMbarrier) return;
    using T = Tile;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<T::Shared*>(memory);
    if (threadIdx.x == 0) {
        for (T::Stage& stage : shared.stages) {
            stage.full.init(kProducers);
            stage.empty.init(kConsumers / 32);
        }
    }
    __syncthreads();
    if (threadIdx.x >= kConsumers) {
        ladder::give_registers<64>();
        produce<T, kVector, ladder::WholeTiles>(shared, A, lda, B, ldb, M, N, K, work);
    } else {
        ladder::take_registers<216>();
        consume<T, kVector>(shared, C, ldc, M, K, work, alpha, beta, vector_c);
    }
}

// A template, so that a file which includes this one has no copy of the kernels unless it calls this.
template <class = void>
void multiply(const ladder::Gemm& gemm) {
    const auto kernel = gemm.vector_b() ? lean_copies<true> : lean_copies<false>;
    const int sms = ladder::sm_count();
    ladder::allow_shared(kernel, sizeof(Tile::Shared));
    const int tiles = ladder::ceil_div(gemm.M, Tile::kM) * ladder::ceil_div(gemm.K, Tile::kK);
    const int blocks = tiles < sms ? tiles : sms;
    kernel<<<blocks, kConsumers + kProducers, sizeof(Tile::Shared), gemm.stream>>>(
        gemm.A, gemm.lda, gemm.B, gemm.ldb, gemm.C, gemm.ldc, gemm.M, gemm.N, gemm.K,
        {tiles, ladder::ceil_div(gemm.N, Tile::kN)}, gemm.alpha, gemm.beta, gemm.vector_c());
}

}  // namespace rung_82

SOLVE_EXPORT_GEMM(rung_82::multiply<>, .summary = "80 with a quarter of the copying warps' instructions",
                  .source = "this ladder's own, on CUTLASS (warp-specialised persistent)",
                  .minimum_compute_capability = 90)
