// A warp that multiplies 64 x 64 outputs of a block's tile, 16 x 8 a thread: which of them are whose, and how a thread
// reads their operands from shared memory.
//
// A 128-bit read is merged to half as many wavefronts if lanes l and l ^ 1, or l and l ^ 2, all read the same words,
// but then it holds up the FFMA for longer (notes/80_warp_specialised.md). So here each lane differs from both, in A
// and in B.
#pragma once

#include "tile.h"

namespace ladder::warp64x64 {

constexpr int kWarpM = 64;  // a warp's part of the tile
constexpr int kWarpK = 64;
constexpr int kRows = 16;  // of C a thread, in groups of 4
constexpr int kCols = 8;
constexpr int kLanesM = kWarpM / kRows;  // a warp is 4 x 8 lanes
constexpr int kLanesK = kWarpK / kCols;
constexpr int kStrideM = 4 * kLanesM;  // from one group of 4 rows to the next
constexpr int kStrideK = 4 * kLanesK;

static_assert(kLanesM == 4 && kLanesK == 8, "the numbering of the lanes below");

// Where a thread's first 4 x 4 outputs lie in a tile of kTileK columns: row y, column x. Its row number i is y +
// row_of(i). `part` numbers the warps' parts of the tile, row by row.
struct Place {
    int y, x;
};

template <int kTileK>
__device__ __forceinline__ Place place_in_tile(int part, int lane) {
    return {part / (kTileK / kWarpK) * kWarpM + lane % kLanesM * 4,
            part % (kTileK / kWarpK) * kWarpK + (lane / kLanesM ^ lane % kLanesM) * 4};
}

__device__ __forceinline__ constexpr int row_of(int i) {
    return i / 4 * kStrideM + i % 4;
}

// A thread's operands for two n, an even one and an odd one: one is multiplied while the other is read.
struct Operands {
    alignas(16) float a[2][kRows], b[2][kCols];

    // Reads those of n, the thread's of which begin at from_a and from_b.
    __device__ __forceinline__ void load(int n, const float* from_a, const float* from_b) {
#pragma unroll
        for (int i = 0; i < kRows; i += 4) copy4(&a[n % 2][i], from_a + i / 4 * kStrideM);
#pragma unroll
        for (int j = 0; j < kCols; j += 4) copy4(&b[n % 2][j], from_b + j / 4 * kStrideK);
    }
};

}  // namespace ladder::warp64x64
