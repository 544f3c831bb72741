// How a tile gets from global to shared memory by cp.async, wherever in its rows the elements are to lie.
#pragma once

#include "../ptx/cp_async.h"

namespace ladder {

// One thread's share of a kRows x kCols tile: groups of kWidth floats, neighbours to neighbouring threads.
template <int kRows, int kCols, int kWidth, int kThreads>
struct TileCopy {
    static constexpr int kStep = kThreads * kWidth / kCols;  // rows from one to the next
    static_assert(kThreads * kWidth % kCols == 0 && kRows % kStep == 0, "whole passes");

    const float* from;  // of the next tile
    const int64_t ld;
    const int row, col;

    // Of a matrix whose rows have the stride ld, from the corner of the first tile on.
    __device__ TileCopy(const float* tile, int64_t ld)
        : ld(ld), row(threadIdx.x / (kCols / kWidth)), col(threadIdx.x % (kCols / kWidth) * kWidth) {
        from = tile + row * ld + col;
    }

    // Requests a tile that has `rows` rows and `cols` columns of the matrix ahead of it; the rest becomes zeros. The
    // element (row, col) goes to to[row][place(row, col)].
    template <class Place>
    __device__ void request(AsyncCopies& copies, float (&to)[kRows][kCols], int rows, int cols, Place place) const {
#pragma unroll
        for (int i = 0; i < kRows; i += kStep) {
            const bool inside = row + i < rows && col < cols;
            float* const target = &to[row + i][place(row + i, col)];
            if constexpr (kWidth == 4) {
                copies.copy16(target, from + i * ld, inside);
            } else {
                copies.copy4(target, from + i * ld, inside);
            }
        }
    }
};

}  // namespace ladder
