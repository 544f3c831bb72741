// A product whose operands are copied box by box (box_copy.h) and multiplied the other way round, C's transpose as B's
// times A's (wgmma.h has the columns of C on its left then): what the kernel is told besides the operands, which tiles
// of C a block computes, and how a thread's sums are stored.
//
// T is a tile: kRows x kCols of C, and kBlocks, 1 or 2, of them side by side for a cluster.
#pragma once

#include "../export/launch.h"
#include "epilogue.h"
#include "tile_order.h"

namespace ladder {

// Clusters of tiles that C has.
template <class T>
constexpr __host__ __device__ int clusters_of(int M, int K) {
    return ceil_div(M, T::kRows) * ceil_div(K, T::kBlocks * T::kCols);
}

struct BoxJob {
    float* C;
    float* const* slot_of_c;  // where the device finds C; null: at C
    int64_t ldc;
    int M, N, K;
    Epilogue epilogue;
    bool vector_c;

    // Calls visit(row, column), of the first element, for each of the block's tiles.
    template <class T, class Visit>
    __device__ __forceinline__ void for_each_tile(Visit visit) const {
        const int clusters = gridDim.x / T::kBlocks, all = clusters_of<T>(M, K);
        for (int number = blockIdx.x / T::kBlocks; number < all; number += clusters) {
            const int2 corner = corner_of<T::kRows, T::kBlocks * T::kCols>(number, M, K);
            visit(corner.x, corner.y + int(blockIdx.x) % T::kBlocks * T::kCols);
        }
    }

    // Stores sums of two neighbouring columns, of which the first is `col`: with t = lane % 4, sum[4j + i] is in row
    // row + 8j + 2t + i % 2 and in column number i / 2.
    template <int kWords>
    __device__ __forceinline__ void store(const float (&sum)[kWords], int row, int col) const {
        if (col >= K) return;
        row += threadIdx.x % 4 * 2;
        float* c = (slot_of_c ? *slot_of_c : C) + row * ldc + col;
#ifndef SOLVE_EMULATOR
        __builtin_assume(__isGlobal(c));  // else the stores are of the kind that asks which memory it is
#endif
#pragma unroll
        for (int i = 0; i < kWords; i += 4, c += 8 * ldc) {
#pragma unroll
            for (int q = 0; q < 2; ++q) {
                if (row + 2 * i + q >= M) break;
                float* const two = c + q * ldc;
                if (vector_c) {
                    epilogue.store2(two, sum[i + q], sum[i + 2 + q]);
                } else {
                    epilogue.store(two, sum[i + q]);
                    if (col + 1 < K) epilogue.store(two + 1, sum[i + 2 + q]);
                }
            }
        }
    }
};

}  // namespace ladder
