// Which tiles of C a block works on, one after the other: a persistent kernel's tile scheduler.
#pragma once

#include "../export/launch.h"

namespace ladder {

// A tile, or a part of one along N: the steps `begin` to `end` - 1.
struct Piece {
    int tile, begin, end;
};

// The whole tiles of one block: as many blocks as there are take turns.
class WholeTiles {
  public:
    struct Count {
        int tiles, steps;  // steps of a tile
    };

    __device__ __forceinline__ explicit WholeTiles(const Count& count) : count_(count), tile_(blockIdx.x) {}

    // The block's next piece of work, if there is one.
    __device__ __forceinline__ bool next(Piece& piece) {
        if (tile_ >= count_.tiles) return false;
        piece = {tile_, 0, count_.steps};
        tile_ += gridDim.x;
        return true;
    }

  private:
    const Count& count_;
    int tile_;
};

// A tile of one of several products, counted in tiles: its product, and where it lies in C.
struct TileOfProduct {
    int product, row, col;
};

// Each block begins with the tile of its own number, row by row of tiles and product after product, and goes on by as
// many as there are blocks, which are `by`: with additions and carries, for a division is some 25 instructions.
struct WalkOfProducts {
    int tiles, tiles_m, tiles_k;  // all, and those of a product's C
    TileOfProduct by;

    __host__ __device__ TileOfProduct tile(int number) const {
        const int of_product = tiles_m * tiles_k, rest = number % of_product;
        return {number / of_product, rest / tiles_k, rest % tiles_k};
    }

    __device__ __forceinline__ void go_on(TileOfProduct& tile) const {
        tile.col += by.col, tile.row += by.row, tile.product += by.product;
        if (tile.col >= tiles_k) tile.col -= tiles_k, ++tile.row;
        if (tile.row >= tiles_m) tile.row -= tiles_m, ++tile.product;
    }
};

}  // namespace ladder
