// How the sums of a block of 67 get to C: straight from registers, or by way of shared memory.
#pragma once

#include "../common/gemm/cluster_sums.h"
#include "../common/gemm/epilogue.h"
#include "../common/gemm/store_rows.h"

namespace rung_67 {

// Of a tile T that begins at tile_row and tile_col, whose first rows and columns of this thread are y and x. vector_c:
// C can be written 16 bytes at a time. No copy to `shared` is in flight any more.
template <class T>
__device__ __forceinline__ void store_sums(typename T::Shared& shared, const float (&sum)[T::kRows][T::kCols],
                                           ladder::Cluster& cluster, int blocks, const solve_gemm_t& call,
                                           int64_t product, int tile_row, int tile_col, int y, int x, bool vector_c) {
    const ladder::Epilogue epilogue{call.alpha, call.beta};
    float* const C = ladder::c_of(call, product) + tile_row * call.ldc + tile_col;
    const int rows = call.M - tile_row, cols = call.K - tile_col;
    const auto row_of = [&](int i) { return y + i / 4 * T::kStrideM + i % 4; };
    if (vector_c && blocks == 1) {
#pragma unroll
        for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
            for (int j = 0; j < T::kCols; j += 4) {
                const int col = x + j / 4 * T::kStrideK;
                if (row_of(i) < rows && col < cols) epilogue.store4(C + row_of(i) * call.ldc + col, &sum[i][j]);
            }
        }
        return;
    }
    // Through shared memory, so that neighbouring lanes write neighbouring words; a block has its share of the sums.
    __syncthreads();  // nobody reads the stages any more
#pragma unroll
    for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
        for (int j = 0; j < T::kCols; j += 4)
            ladder::copy4(&shared.sums[row_of(i)][x + j / 4 * T::kStrideK], &sum[i][j]);
    }
    if (blocks == 1) {
        __syncthreads();
        return ladder::store_rows<T::kThreads, T::kK, T::kAhead>(shared.sums, C, call.ldc, rows, cols, epilogue);
    }
    cluster.sync();
    ladder::store_share<T::kThreads, T::kK>(shared.sums, cluster, blocks, C, call.ldc, rows, cols, epilogue, vector_c);
    cluster.sync();  // nobody reads this block's sums any more
}

}  // namespace rung_67
