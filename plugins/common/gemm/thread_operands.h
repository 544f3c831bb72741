// What a thread reads of a stage for one n, and its product.
//
// T is a tile: kRows x kCols sums a thread, in groups of four that are kStrideM rows, or kStrideK columns, apart; a
// stage has the operands as [n][kM + 4] and [n][kK + 4].
#pragma once

#include "tile.h"

namespace ladder {

template <class T>
struct ThreadOperands {
    alignas(16) float a[T::kRows], b[T::kCols];

    // From the thread's first words of a stage.
    __device__ __forceinline__ void read(const float* at_a, const float* at_b, int n) {
#pragma unroll
        for (int i = 0; i < T::kRows; i += 4) copy4(&a[i], at_a + n * (T::kM + 4) + i / 4 * T::kStrideM);
#pragma unroll
        for (int j = 0; j < T::kCols; j += 4) copy4(&b[j], at_b + n * (T::kK + 4) + j / 4 * T::kStrideK);
    }

    __device__ __forceinline__ void multiply(float (&sum)[T::kRows][T::kCols]) const {
#pragma unroll
        for (int i = 0; i < T::kRows; ++i) {
#pragma unroll
            for (int step = 0; step < T::kCols; ++step) {
                const int j = i % 2 ? T::kCols - 1 - step : step;  // serpentine: an operand is read once for two FFMA
                sum[i][j] += a[i] * b[j];
            }
        }
    }
};

}  // namespace ladder
