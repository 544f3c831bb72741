// Which tiles of C a block works on, one after the other.
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

}  // namespace ladder
