// How rung 86 divides a product's tiles among blocks (stream-K), and where the parts of tiles lie in workspace.
#pragma once

#include "../export/launch.h"

namespace ladder {

// Block b takes the whole tiles b, b + blocks, b + 2 blocks, ... The steps of the tiles after those, tile after tile,
// are one range, which is cut into as many parts of equal length as there are blocks for it, the b-th of them for block
// b.
struct Partition {
    int steps;                // of a tile, along N
    int whole;                // tiles
    int cut;                  // tiles after the whole ones
    int blocks_of_remainder;  // the blocks that share those: 0 to blocks_of_remainder - 1

    // The step at which a block's part of the range begins. The first parts are longer by a step if they cannot all be
    // alike.
    __host__ __device__ int begin(int block) const {
        const int each = cut * steps / blocks_of_remainder, longer = cut * steps % blocks_of_remainder;
        return block * each + (block < longer ? block : longer);
    }

    // The block whose part that step belongs to.
    __host__ __device__ int block_of(int step) const {
        const int each = cut * steps / blocks_of_remainder, longer = cut * steps % blocks_of_remainder,
                  in_longer = longer * (each + 1);
        return step < in_longer ? step / (each + 1) : longer + (step - in_longer) / each;
    }
};

// Where a block leaves a piece that is not a whole tile: it has at most one that begins within a tile, and one that
// ends within a tile without having begun in it.
__host__ __device__ inline int slot_of(int block, bool begins_within) {
    return 2 * block + (begins_within ? 0 : 1);
}

}  // namespace ladder
