// What shared memory holds in 30_chain_tf32.cu, and the numbers' way there: of what the products read there a number
// has two parts, a high and a low one.
//
// What is multiplied is T = left * right, as its transpose (wgmma.h): the columns of `right` come through registers,
// where they are split (30_products.h), and `left` is read from shared memory. D's high part is the nearest number of
// 11 bits; A's is A as it came, of which the tensor cores see the upper 11: to store it once more takes 0.2 us of 13.
// Their low part is the nearest to what remains.
#pragma once

#include "../common/gemm/tile.h"
#include "../common/ptx/box_copy.h"
#include "../common/ptx/grid_marks.h"

namespace chain_30 {

constexpr int kRows = 64, kCols = 64;     // of a tile of D or E, whose n two blocks share
constexpr int kOwnRows = kRows / 2;       // that a block adds up and stores
constexpr int kDepth = ladder::kBoxCols;  // n of a stage
constexpr int kStages = 8;                // all that a block needs are there at once: up to 256 n
constexpr int kTeams = 2;                 // of four warps that multiply, each every second stage
constexpr int kMultiplying = 128 * kTeams, kSplittingWarps = 6;
constexpr int kWords = kRows / 2, kOwnWords = kWords / 2;  // a thread's sums, and those of its block's own rows

// 32 n of 64 rows, and their low parts behind them, as if they were 128 rows.
struct alignas(1024) Left {
    float high[kRows][kDepth], low[kRows][kDepth];
};

struct Shared {
    Left left[kStages];
    float right[kStages][2][kDepth][ladder::kBoxCols];
    float4 given[kWords / 4][128];           // the second team's sums
    float4 received[2][kOwnWords / 4][128];  // the other block's, of D and of E
    ladder::Mbarrier left_full[kStages], low_full[kStages], right_full[kStages], empty[kStages];
    ladder::Mbarrier met, stored, number_read, all_received[2];
    uint64_t mark;  // that this launch's blocks leave in their row of tiles
    int lossy[2];   // whether a product has numbers too small to be split
};
static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");

// A block's stages of a product: the first, how many, and how many of the product before had the same places.
struct Stages {
    int first, count, before;

    // Of `terms` n the block of rank 1 has the second half.
    static __device__ __forceinline__ Stages of(int terms, int rank, int before) {
        const int all = ladder::ceil_div(terms, kDepth), half = (all + 1) / 2;
        return {rank * half, rank == 0 ? half : all - half, before};
    }
};

// Looks for numbers below 2^-100 that are not 0, whose low parts TF32 could not hold.
class Least {
  public:
    __device__ __forceinline__ void look_at(float value) {
        least_ = min(least_, __float_as_uint(fabsf(value) - 0x1p-149f));  // 0 becomes negative: the largest
    }
    __device__ __forceinline__ bool is_lossy() const { return least_ < __float_as_uint(0x1p-100f); }

  private:
    unsigned least_ = ~0u;  // the bits
};

constexpr uint32_t kCutOff = 0x1fff;  // the bits of a number that the tensor cores do not see
constexpr uint32_t kHalf = 0x1000;    // half of the last bit that they see

// The nearest number of TF32's 11 bits, infinite near the largest; and what the tensor cores see of a number.
__device__ __forceinline__ float nearest(float value) {
    return __uint_as_float((__float_as_uint(value) + kHalf) & ~kCutOff);
}
__device__ __forceinline__ float as_seen(float value) {
    return __uint_as_float(__float_as_uint(value) & ~kCutOff);
}

// A lane's numbers of half a stage's `left`: of every fourth row of 32 four.
struct Fours {
    static constexpr int kCount = kOwnRows / 4;
    alignas(16) float value[kCount][4];
    const int row = threadIdx.x % 32 / 8, piece = threadIdx.x % 8;

    // Where those of row row + 4 i lie, from the place of the half's row 0 on.
    __device__ __forceinline__ int place(int i) const {
        return (row + 4 * i) * kDepth + ladder::place_of_piece(row + 4 * i, piece) * 4;
    }
};

// The end of half a stage's splitting, by the warp that does it.
template <bool kIsD>
__device__ __forceinline__ void split(Shared& shared, int stage, int half, Fours& numbers, int& lossy) {
    Left& left = shared.left[stage];
    Least least;
#pragma unroll
    for (int f = 0; f < Fours::kCount; ++f) {
        alignas(16) float high[4], low[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const float whole = numbers.value[f][q];
            least.look_at(whole);
            high[q] = kIsD ? nearest(whole) : as_seen(whole);
            low[q] = nearest(whole - high[q]);
        }
        if (kIsD) ladder::copy4(left.high[half * kOwnRows] + numbers.place(f), high);
        ladder::copy4(left.low[half * kOwnRows] + numbers.place(f), low);
    }
    if (least.is_lossy()) lossy = 1;
    ladder::show_rows_to_products();
    __syncwarp();
    if (threadIdx.x % 32 == 0) shared.low_full[stage].arrive();
}

// What a splitting warp does for D: the low parts of every sixth half stage of A. Each by four warps took twice as
// long, and each quarter by one a tenth longer: a warp waits for numbers and then for a fence.
__device__ __forceinline__ void split_a(Shared& shared, const Stages& stages, int number) {
    for (int i = number; i < 2 * stages.count; i += kSplittingWarps) {
        const int stage = i / 2, half = i % 2;
        Fours numbers;
        shared.left_full[stage].wait(0);
#pragma unroll
        for (int f = 0; f < Fours::kCount; ++f) {
            ladder::copy4(numbers.value[f], shared.left[stage].high[half * kOwnRows] + numbers.place(f));
        }
        split<false>(shared, stage, half, numbers, shared.lossy[0]);
    }
}

// And for E: it waits for 32 x 32 of D, which two warps of a block leave, and copies and splits them. By TMA they came
// 0.4 us later. D begins at the tile's first row; past its last column it is 0.
__device__ __forceinline__ void split_d(Shared& shared, const Stages& stages, int number, const float* D, int pitch,
                                        uint64_t* marks) {
    shared.number_read.wait(0);
    for (int i = number; i < 2 * stages.count; i += kSplittingWarps) {
        const int stage = i / 2, half = i % 2, box = stages.first + stage, lane = threadIdx.x % 32;
        Fours numbers;
        if (lane < 2) ladder::wait_for_mark(marks + (box / 2 * 2 + half) * 4 + box % 2 * 2 + lane, shared.mark);
        __syncwarp();
        const float* const from = D + (half * kOwnRows + numbers.row) * pitch + box * kDepth + numbers.piece * 4;
#pragma unroll
        for (int f = 0; f < Fours::kCount; ++f) {
            const auto* const four = reinterpret_cast<const float4*>(from + 4 * f * pitch);
            *reinterpret_cast<float4*>(numbers.value[f]) = __ldcg(four);
        }
        if (stage < stages.before) shared.empty[stage].wait(0);
        split<true>(shared, stage, half, numbers, shared.lossy[1]);
    }
}

}  // namespace chain_30
