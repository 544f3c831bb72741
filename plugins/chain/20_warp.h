// What a warp of 20_chain_clusters does by itself: it copies a part of a matrix, and multiplies a chunk.
#pragma once

#include "../common/gemm/tile.h"
#include "../common/ptx/cp_async.h"

namespace chain_20 {

constexpr int kTile = 32;   // columns of a tile of D or E
constexpr int kChunk = 16;  // n that a warp multiplies at a time

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

// What a thread copies of kCols columns of a matrix, where kCount threads copy them: its first word, and from there on.
template <int kCols, int kCount>
struct Own {
    bool vector;
    int lanes, row, col;  // threads of a row, and its own place
    const float* first;
    int64_t step;

    __device__ __forceinline__ Own(const Rest& rest, int thread)
        : vector(rest.vector),
          lanes(vector ? kCols / 4 : kCols),
          row(thread / lanes),
          col(thread % lanes * (vector ? 4 : 1)),
          first(rest.data + row * rest.ld + col),
          step(kCount / lanes * rest.ld) {}

    // Requests its part of `rows` rows, from `offset` floats behind the first word on; what is outside of those that
    // are left is zero.
    template <int kPitch>
    __device__ __forceinline__ void request(ladder::AsyncCopies& async, float (*to)[kPitch], int rows, int64_t offset,
                                            int rows_left, int cols_left) const {
        const float* from = first + offset;
        for (int y = row; y < rows; y += kCount / lanes, from += step) {
            const bool inside = y < rows_left && col < cols_left;
            vector ? async.copy16(&to[y][col], from, inside) : async.copy4(&to[y][col], from, inside);
        }
    }
};

// A lane has rows lane / 8, + 4, ... and 4 columns of the tile. sum += the products of a chunk.
template <int kOwn, int kPitch>
__device__ __forceinline__ void multiply_chunk(float (&sum)[kOwn][4], const float (*a)[kPitch], int first_n,
                                               const float (*b)[kTile]) {
    const int lane = threadIdx.x % 32, row = lane / 8, col = lane % 8 * 4;
#pragma unroll
    for (int first = 0; first < kChunk; first += 4) {
        alignas(16) float of_a[kOwn][4], of_b[4];
#pragma unroll
        for (int i = 0; i < kOwn; ++i) ladder::copy4(of_a[i], &a[row + 4 * i][first_n + first]);
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            ladder::copy4(of_b, &b[first + n][col]);
#pragma unroll
            for (int i = 0; i < 4 * kOwn; ++i) sum[i / 4][i % 4] += of_a[i / 4][n] * of_b[i % 4];
        }
    }
}

}  // namespace chain_20
