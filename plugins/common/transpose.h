// A matrix the other way round, for kernels that read both operands by rows of neighbours along C.
#pragma once

#include "early_launch.h"
#include "launch.h"

namespace ladder {

constexpr int kTransposeSide = 64;  // of what a block takes

// to[col][row] = from[row][col]; blockIdx.x goes through the blocks row by row of them. What is left of a row of `to`
// gets zeros.
static __global__ void __launch_bounds__(4 * kTransposeSide)
    transpose_kernel(const float* from, int64_t ld_from, float* to, int64_t ld_to, int rows, int cols) {
    let_next_kernel_start();
    wait_for_kernel_before();
    constexpr int kSide = kTransposeSide;
    __shared__ float tile[kSide][kSide + 1];  // an odd pitch: a column's elements are in different banks
    const int across = ceil_div(cols, kSide), block = blockIdx.x;
    const int row = block / across * kSide, col = block % across * kSide;
    const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;
    from += row * ld_from + col, to += col * ld_to + row;
#pragma unroll
    for (int i = 0; i < kSide; i += 4) {
        const bool inside = row + y + i < rows && col + x < cols;
        tile[y + i][x] = inside ? __ldcs(from + (y + i) * ld_from + x) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSide; i += 4) {
        if (col + y + i < cols && row + x < ld_to) to[(y + i) * ld_to + x] = tile[x][y + i];
    }
}

// The transpose of `from`, rows x cols with rows `ld_from` apart, as cols x rows with rows `ld_to` apart, at most a
// block's side more than they are long.
inline void transpose(const float* from, int64_t ld_from, int rows, int cols, float* to, int64_t ld_to,
                      cudaStream_t stream) {
    const int64_t blocks = int64_t{ceil_div(rows, kTransposeSide)} * ceil_div(cols, kTransposeSide);
    launch_early(transpose_kernel, dim3(static_cast<unsigned>(blocks)), 4 * kTransposeSide, 0, stream, from, ld_from,
                 to, ld_to, rows, cols);
}

}  // namespace ladder
