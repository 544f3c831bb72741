// How a warp reads its operands where they came as boxes (box_copy.h): A as [row][n], swizzled, four n of a row at a
// time; B as [n][column], plain.
#pragma once

#include "../ptx/box_copy.h"
#include "../ptx/opaque.h"
#include "tile.h"

namespace ladder {

// A warp of 8 x 4 lanes multiplies 64 x 32 of C, a thread 8 x 8: rows `row`, + 8, ..., and columns `col` to + 3 and 16
// behind. As in thread8x8.h pairs of lanes read the same words. A Stage has a box of each, `a` and `b`.
template <class Stage>
class BoxOperands {
  public:
    static constexpr int kRows = 8, kCols = 8;
    static constexpr int kLanesM = 8, kLanesK = 4, kStrideK = 4 * kLanesK;

    const int row = threadIdx.x % 32 / 8 * 2 + threadIdx.x % 2, col = threadIdx.x / 2 % kLanesK * 4;

    // From n on, a multiple of 8, of that stage.
    __device__ __forceinline__ BoxOperands(const Stage& stage, int n) : b_(opaque_shared(&stage.b[n][col])) {
#pragma unroll
        for (int i = 0; i < 2; ++i) a_[i] = opaque_shared(&stage.a[row][place_of_piece(row, n / 4 + i) * 4]);
    }

    // From as many stages later on.
    __device__ __forceinline__ void step(int stages) {
        const int words = stages * int(sizeof(Stage) / sizeof(float));
#pragma unroll
        for (const float*& a : a_) a = opaque_shared(a + words);
        b_ = opaque_shared(b_ + words);
    }

    __device__ __forceinline__ void read_b(float (&to)[kCols], int n) const {
#pragma unroll
        for (int j = 0; j < kCols; j += 4) copy4(&to[j], b_ + n * kBoxCols + j / 4 * kStrideK);
    }

    // Of row i n, 0 or 4, and the next three.
    __device__ __forceinline__ void read_a(float (&to)[4][kRows], int i, int n) const {
        alignas(16) float four[4];
        copy4(four, a_[n / 4] + i * kLanesM * kBoxCols);
#pragma unroll
        for (int k = 0; k < 4; ++k) to[k][i] = four[k];
    }

  private:
    const float *a_[2], *b_;  // of A n from 0, and from 4 on
};

}  // namespace ladder
