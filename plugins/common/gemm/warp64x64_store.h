// How a warp's 64 x 64 outputs (warp64x64.h) get from registers to C.
#pragma once

#include "epilogue.h"
#include "warp64x64.h"
#include "word_columns.h"

namespace ladder::warp64x64 {

// Where a tile goes.
struct Target {
    float* c;  // the tile's corner
    int64_t ldc;
    int rows, cols;  // of C from there on
    float beta;
    bool vector;             // whether C can be written 16 bytes at a time
    float* piece = nullptr;  // or, if the sums are of a part of N, here: pitch kTileK, columns as in B's shared tile
};

// Adds what is to be added to each column of a tile, of which `cols` are inside C.
template <bool kVector>
__device__ __forceinline__ void add_bias(float (&sum)[kRows][kCols], const float* bias, int cols, Place place) {
#pragma unroll
    for (int j = 0; j < kCols; ++j) {
        const int col = column_at<kVector>(place.x + j / 4 * kStrideK + j % 4);
        const float of_col = col < cols ? bias[col] : 0.0f;
#pragma unroll
        for (int i = 0; i < kRows; ++i) sum[i][j] += of_col;
    }
}

// Stores a thread's sums of the tile of an M x K C that begins at `corner`, straight from its registers. kVector is of
// B: whether its columns lie in order. `vector`: whether C can be written 16 bytes at a time.
template <bool kVector>
__device__ __forceinline__ void store_tile(float* C, int64_t ldc, int2 corner, int M, int K,
                                           const float (&sum)[kRows][kCols], Place place, const Epilogue& epilogue,
                                           bool vector) {
    const int rows = M - corner.x, cols = K - corner.y;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int row = place.y + row_of(i);
        if (row >= rows) break;
        float* c = C + (corner.x + row) * ldc + corner.y;
#pragma unroll
        for (int j = 0; j < kCols; j += 4) {
            const int at = place.x + j / 4 * kStrideK;
            if (kVector && vector) {
                if (at < cols) epilogue.store4(&c[at], &sum[i][j]);
                continue;
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const int col = kVector ? at + k : column_at<false>(at) + 8 * k;
                if (col < cols) epilogue.store(&c[col], sum[i][j + k]);
            }
        }
    }
}

// Stores kCount rows of a thread, from its row number `first` on; they have been multiplied by alpha. (Rung 80 with
// this function, or 86 with the one above, gets other registers for the loop, which is why there are two.) Not kWords:
// only a piece, or to a C that can be written 16 bytes at a time.
template <int kTileK, bool kVector, bool kWords, int kCount>
__device__ __forceinline__ void store(const float (&values)[kCount][kCols], int first, Place place,
                                      const Target& target) {
    const Epilogue epilogue{1.0f, target.beta};
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
        const int row = place.y + row_of(first + i);
        if (row >= target.rows) break;
        float* c = target.c + row * target.ldc;
#pragma unroll
        for (int j = 0; j < kCols; j += 4) {
            const int at = place.x + j / 4 * kStrideK;
            if (target.piece) {
                copy4(&target.piece[row * kTileK + at], &values[i][j]);
            } else if (kVector && target.vector) {
                if (at < target.cols) epilogue.store4(&c[at], &values[i][j]);
            } else if (kWords) {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    const int col = column_at<kVector>(at + k);
                    if (col < target.cols) epilogue.store(&c[col], values[i][j + k]);
                }
            }
        }
    }
}

// The same as the latter, to a C whose rows are not aligned, by way of `staged`: shared memory that the warp has to
// itself, kStrideM rows of kPitch words. A warp stores 128 bytes of a row at a time, where its 32 words from registers
// would lie in 4 rows, in 8 sectors that others write too.
constexpr int kPitchC = kWarpK + 4;  // no bank conflicts of lanes that write quads of four rows; with kWarpK two-way
constexpr int kStagedWords = kStrideM * kPitchC;

template <int kPitch, bool kVector, int kCount>
__device__ __forceinline__ void store_words(float* staged, const float (&values)[kCount][kCols], int first, Place place,
                                            const Target& target) {
    const Epilogue epilogue{1.0f, target.beta};
    const int lane = threadIdx.x % 32;
    const int first_row = place.y / kWarpM * kWarpM, first_col = place.x / kWarpK * kWarpK;
    float* const own = staged + lane % kLanesM * 4 * kPitch + place.x % kWarpK;
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
        __syncwarp();  // the rows before have been read
#pragma unroll
        for (int r = 0; r < 4; ++r) {
#pragma unroll
            for (int j = 0; j < kCols; j += 4) copy4(&own[r * kPitch + j / 4 * kStrideK], &values[i + r][j]);
        }
        __syncwarp();
        const int row = first_row + row_of(first + i), rows = min(kStrideM, target.rows - row);
        constexpr int kAtOnce = 2;
#pragma unroll 1
        for (int r = 0; r < rows; r += kAtOnce) {
            float value[kAtOnce][kWarpK / 32];
#pragma unroll
            for (int q = 0; q < kAtOnce; ++q) {
#pragma unroll
                for (int at = 0; at < kWarpK; at += 32)
                    value[q][at / 32] = staged[(r + q) * kPitch + place_of<kVector>(at + lane)];
            }
#pragma unroll
            for (int q = 0; q < kAtOnce; ++q) {
#pragma unroll
                for (int at = 0; at < kWarpK; at += 32) {
                    const int col = first_col + at + lane;
                    if (r + q < rows && col < target.cols)
                        epilogue.store(&target.c[(row + r + q) * target.ldc + col], value[q][at / 32]);
                }
            }
        }
    }
}

}  // namespace ladder::warp64x64
