// How much of a product a GPU has at a time: a tile of C, which stays while slabs of the contraction come.
#pragma once

#include <algorithm>
#include <vector>

#include "failure.h"

namespace ladder {

struct Tiling {
    int rows, cols;  // of the tile
    int slab;        // terms of the sums: columns of A, rows of B
};

// Half of a size, rounded up; to a multiple of 16 if it is a large one.
inline int half_of(int size) {
    const int half = size / 2 + size % 2;
    return half > 16 ? (half + 15) / 16 * 16 : half;
}

// The largest tile of an M x K matrix with slabs of up to `most_slab` of N terms that takes `memory` bytes or less,
// bytes_of(tiling) of them. A term of a slab brings rows + cols elements for 2 * rows * cols operations: where the
// memory is short the tile is kept four times as large as the slab is deep, so that the GPU computes more than it
// loads.
template <class BytesOf>
Tiling choose_tiling(int M, int N, int K, int most_slab, size_t memory, BytesOf bytes_of) {
    for (int slab = std::min(N, most_slab);; slab = half_of(slab)) {
        Tiling tiling{M, K, slab};
        while (bytes_of(tiling) > memory && (tiling.rows > 1 || tiling.cols > 1)) {
            int& longer = tiling.rows >= tiling.cols ? tiling.rows : tiling.cols;
            longer = half_of(longer);
        }
        const bool fits = bytes_of(tiling) <= memory;
        const bool is_wide = tiling.rows / 4 >= std::min(M / 4, slab) && tiling.cols / 4 >= std::min(K / 4, slab);
        if (fits && (is_wide || slab == 1)) return tiling;
        if (slab == 1) {
            give_up("%zu bytes of memory of a GPU are too few: %zu are the least (SOLVE_DEVICE_MEMORY)", memory,
                    bytes_of(Tiling{1, 1, 1}));
        }
    }
}

// Slabs of N terms: the first ones are small, so that the GPU soon has something to compute, each is twice the one
// before, until they are as large as they may be.
inline std::vector<int> slabs_of(int N, int most) {
    std::vector<int> slabs;
    int first = std::max(1, most / 16);
    for (int left = N; left > 0; left -= slabs.back()) {
        slabs.push_back(std::min({left, first, most}));
        first = std::min(most, 2 * first);
    }
    return slabs;
}

}  // namespace ladder
