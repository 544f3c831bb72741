// How a thread's sums get from registers to C, where it has 4 x 4 of them in several places of a tile.
#pragma once

#include "epilogue.h"

namespace ladder {

// Stores a thread's rows and columns of the tile of C that begins at (tile_row, tile_col) and of which `rows` and
// `cols` are inside the matrix. sum[i][j] is row y + i / 4 * kStrideM + i % 4 and column x + j / 4 * kStrideK + j % 4
// of it. `vector`: as Gemm::vector_c() says. (As calls of store_groups() rungs 60 to 66 get other machine code.)
template <int kStrideM, int kStrideK, int kRows, int kCols>
__device__ __forceinline__ void store_tile(float* C, int64_t ldc, int tile_row, int tile_col, int rows, int cols, int y,
                                           int x, const float (&sum)[kRows][kCols], const Epilogue& epilogue,
                                           bool vector) {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int row = y + i / 4 * kStrideM + i % 4;
        if (row >= rows) break;
        float* c = C + (tile_row + row) * ldc + tile_col + x;
        if (vector) {
#pragma unroll
            for (int j = 0; j < kCols; j += 4) {
                const int col = j / 4 * kStrideK;
                if (x + col < cols) epilogue.store4(&c[col], &sum[i][j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < kCols; ++j) {
                const int col = j / 4 * kStrideK + j % 4;
                if (x + col < cols) epilogue.store(&c[col], sum[i][j]);
            }
        }
    }
}

}  // namespace ladder
