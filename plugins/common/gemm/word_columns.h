// Where the columns of B lie in a tile that is copied word by word, which it is where its rows do not begin at
// multiples of 16 bytes: of each 32 columns c, c + 8, c + 16, c + 24 become neighbours. Then four words of a 128-bit
// read are four columns 8 apart, and the 8 lanes that share a row of C store 32 bytes in one piece.
#pragma once

#include "../export/launch.h"

namespace ladder {

// The column of the tile that lies at that place of its row. kVector: B came 16 bytes at a time, each column to its
// place.
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
