// The last few columns of C, where they are too few for a tile: 1031 columns are eight tiles of 128 and 7 columns, and
// a ninth column of tiles would take as long as one of the eight. Here a block takes up to 8 columns of many rows,
// beside the blocks of the tiles in the same launch. By its instructions, 256 rows take it a third of what a tile of 64
// x 128 takes.
#pragma once

#include "../ptx/early_launch.h"
#include "epilogue.h"

namespace ladder {

constexpr int kEdgeCols = 8;    // at most
constexpr int kEdgeRows = 256;  // a block

// What a block needs of shared memory.
struct EdgeColumns {
    static constexpr int kDepth = 512;  // n of B that are here at a time

    alignas(16) float b[kEdgeCols / 4][kDepth][4];  // [group of 4 columns][n][column]
    float sums[kEdgeRows][kEdgeCols];
};

// C = alpha * A * B + beta * C for `cols` columns of B and the block's kEdgeRows rows of A, or as many of them as there
// are, by kThreads threads; blocks are counted from row 0 on. A warp takes four rows at a time; its lanes lie side by
// side along N, and add their sums in the end.
template <int kThreads>
__device__ __forceinline__ void multiply_edge(EdgeColumns& shared, unsigned block, const float* A, int64_t lda,
                                              const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N,
                                              int cols, const Epilogue& epilogue) {
    const int first_row = block * kEdgeRows;
    if (first_row >= M) return;
    A += first_row * lda, C += first_row * ldc;
    const int rows = M - first_row;
    constexpr int kRows = 4, kAhead = 8, kStep = kThreads / 32 * kRows;  // kStep: rows that the warps take at a time
    constexpr int kDepth = EdgeColumns::kDepth, kHalf = kAhead * 32;
    static_assert(kRows * kEdgeCols == 32, "a sum for each lane");
    static_assert(kDepth == 2 * kHalf, "one half is multiplied, the other is in flight");
    static_assert(kEdgeRows % kStep == 0, "all warps have equally many rows");
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // In the end lane l has the sum of row l / 8 and column l % 8.
    const int own_row = warp * kRows + lane / kEdgeCols, own_col = lane % kEdgeCols;

    float a[2][kAhead][kRows];
    const auto request = [&](float(&to)[kAhead][kRows], int row, int first, int left) {
#pragma unroll
        for (int m = 0; m < kRows; ++m) {
            const float* const from = A + min(row + m, rows - 1) * lda + first + lane;
#pragma unroll
            for (int i = 0; i < kAhead; ++i) to[i][m] = i * 32 + lane < left ? load_ahead(from + i * 32) : 0.0f;
        }
    };
    float sum[32];
    const auto multiply = [&](const float(&from)[kAhead][kRows], int first) {
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
            alignas(16) float b[kEdgeCols];
#pragma unroll
            for (int k = 0; k < kEdgeCols; k += 4) copy4(&b[k], shared.b[k / 4][first + i * 32 + lane]);
#pragma unroll
            for (int m = 0; m < kRows; ++m) {
#pragma unroll
                for (int k = 0; k < kEdgeCols; ++k) sum[m * kEdgeCols + k] += from[i][m] * b[k];
            }
        }
    };

    wait_for_kernel_before();
#pragma unroll 1
    for (int first = 0; first < N; first += kDepth) {
        __syncthreads();  // nobody reads the B before this
        for (int i = threadIdx.x; i < kDepth * kEdgeCols; i += kThreads) {
            const int n = i / kEdgeCols, k = i % kEdgeCols;
            const bool inside = first + n < N && k < cols;
            shared.b[k / 4][n][k % 4] = inside ? load_ahead(B + (int64_t{first} + n) * ldb + k) : 0.0f;
        }
        __syncthreads();
        request(a[0], warp * kRows, first, N - first);
#pragma unroll 1
        for (int row = 0; row < kEdgeRows; row += kStep) {
#pragma unroll
            for (int i = 0; i < 32; ++i) sum[i] = 0.0f;
            request(a[1], row + warp * kRows, first + kHalf, N - first - kHalf);
            multiply(a[0], 0);
            request(a[0], row + kStep + warp * kRows, first, N - first);
            multiply(a[1], kHalf);
            // Each step halves the sums that a lane has, and the lanes that each of them is of.
#pragma unroll
            for (int step = 0; step < 5; ++step) {
                const int half = 16 >> step;
                const bool upper = lane & half;
#pragma unroll
                for (int i = 0; i < 16; ++i) {
                    if (i >= half) break;
                    const float kept = upper ? sum[i + half] : sum[i], given = upper ? sum[i] : sum[i + half];
                    sum[i] = kept + __shfl_xor_sync(0xffffffff, given, half);
                }
            }
            float& total = shared.sums[row + own_row][own_col];  // only this lane's
            total = first == 0 ? sum[0] : total + sum[0];
        }
    }
    for (int row = own_row; row < min(rows, kEdgeRows); row += kStep) {
        if (own_col < cols) epilogue.store(&C[row * ldc + own_col], shared.sums[row][own_col]);
    }
}

}  // namespace ladder
