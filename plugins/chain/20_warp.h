// What a warp of 20_chain_clusters does by itself: it copies a part of a matrix, and multiplies a chunk.
#pragma once

#include "../common/gemm/tile.h"
#include "../common/ptx/cp_async.h"
#include "20_plan.h"

namespace chain_20 {

// A row-major matrix of which rows x cols are left from here on.
struct Rest {
    const float* data;
    int64_t ld;
    int rows, cols;
    bool vector;  // its rows can be copied 16 bytes at a time

    __device__ __forceinline__ Rest from(int row, int col) const {
        return {data + row * ld + col, ld, rows - row, cols - col, vector};
    }
};

// What a thread copies of kRows x kCols of a matrix, where kCount threads copy them: its first word, and from there on.
template <int kRows, int kCols, int kCount>
struct Own {
    bool vector;
    int row, col;
    const float* first;
    int64_t ld;

    __device__ __forceinline__ Own(const Rest& rest, int thread)
        : vector(rest.vector),
          row(vector ? thread / (kCols / 4) : thread / kCols),
          col(vector ? thread % (kCols / 4) * 4 : thread % kCols),
          first(rest.data + row * rest.ld + col),
          ld(rest.ld) {}

    // Requests its part, from `offset` floats behind the first word on; what is outside of those that are left is zero.
    template <int kPitch>
    __device__ __forceinline__ void request(ladder::AsyncCopies& async, float (*to)[kPitch], int64_t offset,
                                            int rows_left, int cols_left) const {
        const float* const from = first + offset;
        if (vector) {
            constexpr int kStep = kCount * 4 / kCols;
#pragma unroll
            for (int y = 0; y < kRows; y += kStep) {
                const int at = row + y;
                if (kRows % kStep != 0 && at >= kRows) break;
                async.copy16(&to[at][col], from + y * ld, at < rows_left && col < cols_left);
            }
        } else {
            constexpr int kStep = kCount / kCols;
#pragma unroll 4
            for (int y = 0; y < kRows; y += kStep) {
                const int at = row + y;
                async.copy4(&to[at][col], from + y * ld, at < rows_left && col < cols_left);
            }
        }
    }
};

// A lane's part of a warp's sums: 4 columns of kRows / 4 rows of the tile.
template <int kRows>
struct LaneSums {
    static constexpr int kOwn = kRows / 4;
    alignas(16) float sum[kOwn][4];

    // Of its rows, of which each second one is its own, and of its columns.
    __device__ __forceinline__ static int first_row() {
        return threadIdx.x % 32 / 16 * (kRows / 2) + threadIdx.x / 8 % 2;
    }
    __device__ __forceinline__ static int first_col() { return threadIdx.x % 8 * 4; }

    // The products of kChunk n. Each half of the warp multiplies one half of them, for twice as many rows per lane.
    // What limits is that shared memory gives each lane 4 bytes a cycle: for 160 multiply-adds, of a tile of 20 rows,
    // it reads 14 times 16 bytes of a and b in place of 18. 256 takes 4.8 us for 5.4.
    template <int kChunk, int kPitch>
    __device__ __forceinline__ void multiply(const float (*a)[kPitch], int first_n, const float (*b)[kTile]) {
        const int half = threadIdx.x % 32 / 16, row = threadIdx.x / 8 % 2;
        float both[2 * kOwn][4] = {};
#pragma unroll
        for (int i = 0; i < kChunk / 2; i += 4) {
            const int n = half * (kChunk / 2) + i;
            alignas(16) float of_a[2 * kOwn][4], of_b[4];
#pragma unroll
            for (int y = 0; y < 2 * kOwn; ++y) ladder::copy4(of_a[y], &a[row + 2 * y][first_n + n]);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                ladder::copy4(of_b, &b[n + j][first_col()]);
#pragma unroll
                for (int y = 0; y < 8 * kOwn; ++y) both[y / 4][y % 4] += of_a[y / 4][j] * of_b[y % 4];
            }
        }
#pragma unroll
        for (int y = 0; y < 4 * kOwn; ++y) {
            const float upper = both[y / 4][y % 4], lower = both[kOwn + y / 4][y % 4];
            sum[y / 4][y % 4] = (half ? lower : upper) + __shfl_xor_sync(~0u, half ? upper : lower, 16);
        }
    }
};

}  // namespace chain_20
