// Where the lanes of a warp lie in its part of a tile, if each has 128-bit reads of both operands.
#pragma once

#include "../export/launch.h"

namespace ladder {

struct LanePlace {
    int x, y;  // of kX along the columns, of 32 / kX along the rows
};

// A 128-bit read takes half as many wavefronts if lanes l and l ^ 1, or l and l ^ 2, all read the same words: so bit 0
// is one of x, and the rows' operand is read so, and bit 1 one of y. Where reads are what bounds a loop, with 4 x 4 or
// 8 x 4 sums a thread, that is worth up to 8 % (notes/67_small_tiles.md); with 16 x 8 it is not (warp64x64.h).
template <int kX>
__device__ __forceinline__ LanePlace merging_place(int lane) {
    static_assert(kX == 4 || kX == 8 || kX == 16);
    return {(lane & 1) + 2 * (lane / 4 % (kX / 2)), (lane / 2 & 1) + 2 * (lane / (2 * kX))};
}

}  // namespace ladder
