// A thread's 8 x 8 sums in a warp's part of a tile: which they are, how it reads their operands from shared memory, and
// how they get to C.
#pragma once

#include "epilogue.h"

namespace ladder {

enum class LayoutA { n_row, row_n };  // in shared memory

// A thread of a warp that has kWarpM x kWarpK of the tile; kWarpsK warps lie side by side. Its columns are two groups
// of 4.
//
// The smaller the tile, the more words for each FFMA: 1/85 of a word for 128 x 256, 1/43 for 64 x 128, 1/21 for 64 x
// 32. As single words, which [n][row] needs, a word of A costs shared memory four times the cycles of one of B. So for
// the smallest tile A lies as it comes, [row][n], copied 16 bytes at a time, and a thread reads four n of each of its
// rows at once. (Its operands of one n then lie in registers of one bank, which for 64 x 128 is dearer than the
// copies.)
template <int kWarpM, int kWarpK, int kWarpsK, LayoutA kLayoutA>
struct Thread8x8 {
    static constexpr int kCount = 8;  // of rows, and of columns
    static constexpr int kLanesM = kWarpM / kCount, kLanesK = kWarpK / kCount;
    static constexpr int kStrideK = 4 * kLanesK;  // from one group of 4 columns to the next
    static constexpr bool kRowN = kLayoutA == LayoutA::row_n;
    static constexpr int kHeld = kRowN ? 4 : 2;  // n whose A is in registers
    static_assert(kLanesM * kLanesK == 32 && (kLanesM == 4 || kLanesK == 4), "the numbering of the lanes below");

    // Those of an n are at n modulo the first bound. (In one struct with the place, the compiler would make other
    // code.)
    struct Operands {
        alignas(16) float a[kHeld][kCount], b[2][kCount];
    };

    int lane_m, y, x;  // the warp's first row and this thread's first column in the tile

    // The lane's place in a warp of 4 x 8 or 8 x 4; neighbours share operands either way.
    __device__ __forceinline__ explicit Thread8x8(int thread) {
        const int warp = thread / 32, lane = thread % 32;
        const int of4 = lane / 2 % 4, of8 = lane / 8 * 2 + lane % 2;
        lane_m = kLanesM == 4 ? of4 : of8;
        y = warp / kWarpsK * kWarpM, x = warp % kWarpsK * kWarpK + (kLanesM == 4 ? of8 : of4) * 4;
    }

    // Row i of this thread in the tile. In [row][n] neighbouring lanes read neighbouring rows, in [n][row] quads.
    __device__ __forceinline__ int row_of(int i) const { return row_of(i, lane_m); }

    // Reads n of the stage's, counted from `first`: of B, and in [n][row] of A.
    template <class Stage>
    __device__ __forceinline__ void read(Operands& to, const Stage& stage, int first, int n) const {
        if constexpr (!kRowN) {
#pragma unroll
            for (int i = 0; i < kCount; i += 4) copy4(&to.a[n % 2][i], &stage.a[first + n][row_of(i)]);
        }
#pragma unroll
        for (int j = 0; j < kCount; j += 4) copy4(&to.b[n % 2][j], &stage.b[first + n][x + j / 4 * kStrideK]);
    }

    // In [row][n], reads n and the next three of A.
    template <class Stage>
    __device__ __forceinline__ void read_four(Operands& to, const Stage& stage, int first, int n) const {
        if constexpr (kRowN) {
#pragma unroll
            for (int i = 0; i < kCount; ++i) {
                alignas(16) float four[4];
                copy4(four, &stage.a[row_of(i)][first + n]);
#pragma unroll
                for (int k = 0; k < 4; ++k) to.a[k][i] = four[k];
            }
        }
    }

    // sum += the products of n, along the rows or along the columns in serpentine order.
    template <bool kAlongRows>
    __device__ __forceinline__ static void multiply(float (&sum)[kCount][kCount], const Operands& from, int n) {
#pragma unroll
        for (int outer = 0; outer < kCount; ++outer) {
#pragma unroll
            for (int step = 0; step < kCount; ++step) {
                const int inner = outer % 2 ? kCount - 1 - step : step;
                const int i = kAlongRows ? outer : inner, j = kAlongRows ? inner : outer;
                sum[i][j] += from.a[n % kHeld][i] * from.b[n % 2][j];
            }
        }
    }

    // Stores row i of all threads of a warp. C is the tile's corner; `vector`: it can be written 16 bytes at a time. If
    // not, 128 bytes of a row are written at a time, by way of two pieces of shared memory that the warp has to itself,
    // 128 floats each.
    __device__ __forceinline__ void store(const float (&values)[kCount], int i, float* C, int64_t ldc, int rows,
                                          int cols, const Epilogue& epilogue, bool vector, float* upper,
                                          float* lower) const {
        if (!vector) return store_words(values, i, C, ldc, rows, cols, epilogue, upper, lower);
        const int row = row_of(i);
        if (row < rows) epilogue.store_groups<kStrideK>(C + row * ldc + x, values, x, cols, true);
    }

  private:
    __device__ __forceinline__ int row_of(int i, int lane_m) const {
        return y + (kRowN ? i * kLanesM + lane_m : i / 4 * 4 * kLanesM + lane_m * 4 + i % 4);
    }

    __device__ __forceinline__ void store_words(const float (&values)[kCount], int i, float* C, int64_t ldc, int rows,
                                                int cols, const Epilogue& epilogue, float* upper, float* lower) const {
        constexpr int kHalf = kLanesM / 2, kWords = kWarpK / 32;  // rows of a piece; of a lane, in a row
        static_assert(kHalf * kWarpK == 128);
        __syncwarp();  // the threads have read what was there
        float* const own = (lane_m < kHalf ? upper : lower) + lane_m % kHalf * kWarpK + x % kWarpK;
#pragma unroll
        for (int j = 0; j < kCount; j += 4) copy4(own + j / 4 * kStrideK, &values[j]);
        __syncwarp();
        const int lane = threadIdx.x % 32, col = x / kWarpK * kWarpK + lane;
        float word[kLanesM][kWords];
#pragma unroll
        for (int at = 0; at < kLanesM * kWords; ++at) {
            word[at / kWords][at % kWords] = (at < kHalf * kWords ? upper : lower)[at % (kHalf * kWords) * 32 + lane];
        }
#pragma unroll
        for (int at = 0; at < kLanesM * kWords; ++at) {
            const int row = row_of(i, at / kWords), column = col + at % kWords * 32;
            if (row < rows && column < cols) epilogue.store(C + row * ldc + column, word[at / kWords][at % kWords]);
        }
    }
};

}  // namespace ladder
