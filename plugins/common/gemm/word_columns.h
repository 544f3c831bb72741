// Where the columns of B lie in a tile of shared memory. If B comes 16 bytes at a time, in order. If it comes in words,
// since its rows do not begin at multiples of 16 bytes, columns c, c + 8, c + 16, c + 24 of each 32 become neighbours:
// then the four words of a 128-bit read are four columns with a stride of 8, and the 8 lanes that share a row of C
// store 32 bytes in one piece.
#pragma once

#include "../export/launch.h"

namespace ladder {

// The column of the tile that lies at that place of its row. kVector: 16 bytes at a time.
template <bool kVector>
__device__ __forceinline__ int column_at(int place) {
    return kVector ? place : place / 32 * 32 + place % 32 / 4 + place % 4 * 8;
}

// The place at which that column lies.
template <bool kVector>
__device__ __forceinline__ int place_of(int column) {
    return kVector ? column : column / 32 * 32 + column % 8 * 4 + column % 32 / 8;
}

}  // namespace ladder
