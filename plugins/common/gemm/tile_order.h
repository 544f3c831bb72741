// In which order the blocks take the tiles of C (rasterisation, or threadblock swizzle).
#pragma once

#include "../export/launch.h"

namespace ladder {

// Row and column of the tile with that number, counted in tiles. Blocks start in the order of their numbers. Row by
// row of tiles, those at work would walk along all of B together; kGroup rows of tiles at a time, column by column,
// they need least of A and B: 128 blocks as 16 rows x 8 columns of tiles of 128 x 256 need 2048 rows of A and 2048
// columns of B.
template <int kGroup>
__device__ __forceinline__ uint2 tile_in_groups(unsigned number, unsigned tiles_m, unsigned tiles_k) {
    const unsigned group = number / (kGroup * tiles_k), first_row = group * kGroup;
    const unsigned group_rows = min(kGroup, int(tiles_m - first_row)), within = number % (kGroup * tiles_k);
    return make_uint2(first_row + within % group_rows, within / group_rows);
}

// Row and column of an M x K matrix at which the tile of that number begins, 16 rows of tiles at a time.
template <int kTileM, int kTileK>
__device__ __forceinline__ int2 corner_of(int number, int M, int K) {
    constexpr int kGroup = 16;
    const int tiles_m = ceil_div(M, kTileM), tiles_k = ceil_div(K, kTileK);
    const int group = number / (kGroup * tiles_k), within = number % (kGroup * tiles_k);
    const int rows = min(kGroup, tiles_m - group * kGroup);
    return make_int2((group * kGroup + within % rows) * kTileM, within / rows * kTileK);
}

}  // namespace ladder
