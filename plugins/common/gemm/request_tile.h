// How a tile of a matrix is requested from global to shared memory, by asynchronous copies of all threads of a block.
#pragma once

#include "../ptx/cp_async.h"

namespace ladder {

// Requests the copy of kRows rows and kCols columns from `from` on, of a matrix with the stride `ld`, kWidth floats at
// a time. Of these `rows` and `cols` are inside the matrix; what is outside arrives as zeros.
template <int kCols, int kWidth, int kThreads, int kRows, int kPitch>
__device__ __forceinline__ void request_tile(AsyncCopies& async, float (&to)[kRows][kPitch], const float* from,
                                             int64_t ld, int rows, int cols) {
    constexpr int kLanes = kCols / kWidth, kPass = kThreads / kLanes;  // threads a row, rows a pass
    static_assert(kCols % kWidth == 0 && kThreads % kLanes == 0 && kRows % kPass == 0, "whole passes");
    const int row = threadIdx.x / kLanes, col = threadIdx.x % kLanes * kWidth;
    from += row * ld + col;
#pragma unroll
    for (int i = 0; i < kRows; i += kPass) {
        const bool inside = row + i < rows && col < cols;
        if constexpr (kWidth == 4) {
            async.copy16(&to[row + i][col], from + i * ld, inside);
        } else {
            async.copy4(&to[row + i][col], from + i * ld, inside);
        }
    }
}

// The same, transposed: to[col][row], a float at a time. A warp copies 4 rows x 8 words, whole sectors of 32 bytes, to
// different banks.
template <int kRows, int kThreads, int kCols, int kPitch>
__device__ __forceinline__ void request_transposed(AsyncCopies& async, float (&to)[kCols][kPitch], const float* from,
                                                   int64_t ld, int rows, int cols) {
    constexpr int kPass = kThreads / 8;
    static_assert(kRows % kPass == 0 && kCols % 8 == 0, "whole passes");
    const int row = threadIdx.x / 8, col = threadIdx.x % 8;
    from += row * ld + col;
#pragma unroll
    for (int i = 0; i < kRows; i += kPass) {
#pragma unroll
        for (int j = 0; j < kCols; j += 8) {
            async.copy4(&to[col + j][row + i], from + i * ld + j, row + i < rows && col + j < cols);
        }
    }
}

// Either of them, for a tile of A of kRows rows and kDepth columns.
template <int kRows, int kDepth, int kWidth, int kThreads, bool kTransposed, int kFirst, int kPitch>
__device__ __forceinline__ void request_tile_of_a(AsyncCopies& async, float (&to)[kFirst][kPitch], const float* from,
                                                  int64_t ld, int rows, int cols) {
    static_assert(kFirst == (kTransposed ? kDepth : kRows), "the first index is n if the tile is transposed");
    if constexpr (kTransposed) {
        request_transposed<kRows, kThreads>(async, to, from, ld, rows, cols);
    } else {
        request_tile<kDepth, kWidth, kThreads>(async, to, from, ld, rows, cols);
    }
}

}  // namespace ladder
