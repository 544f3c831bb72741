// A product of operands that are not split, in FP32: slow, for numbers that no narrower format can hold.
#pragma once

#include "split_store.h"

namespace ladder {

// Adds products in FP32 to a thread's words of a tile, of which the first is in that row and column of C: those of n
// from `first` on, up to `last`. Each word of A and B comes from memory, or L1, for itself.
template <int kWords>
__device__ __forceinline__ void add_as_they_are(const SplitJob& job, int row, int col, int first, int last,
                                                float (&sum)[kWords]) {
    const float *const A = job.operands.a.start(), *const B = job.operands.b.start();
    // Past the last row or column the last one is computed again, and not stored.
    const auto line = [&](const Lines& lines, int number) { return min(number, lines.count - 1) * lines.of_line; };
    const float* const upper = A + line(job.operands.a, row);
    const float* const lower = A + line(job.operands.a, row + 8);
    for (int n = first; n < last; ++n) {
        const float of_upper = upper[n * job.operands.a.of_n], of_lower = lower[n * job.operands.a.of_n];
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const float b = B[line(job.operands.b, col + i / 4 * 8 + i % 2) + n * job.operands.b.of_n];
            sum[i] = fmaf(i / 2 % 2 ? of_lower : of_upper, b, sum[i]);
        }
    }
}

// The tiles of C in FP32, by two threads for each row of a tile, and with `memory` for a tile.
template <class Format>
__device__ __forceinline__ void multiply_as_they_are(const SplitJob& job, float* memory) {
    constexpr int kRows = Format::kRows, kCols = Format::kCols;
    const int2 place = split_place<Format>();
    for (int tile = blockIdx.x; tile < job.tiles<kRows, kCols>(); tile += gridDim.x) {
        const int2 corner = job.corner<kRows, kCols>(tile);
        float sum[kCols / 2] = {};
        add_as_they_are(job, corner.x + place.x, corner.y + place.y, 0, job.operands.N, sum);
        job.stores_pairs() ? store_pairs<Format>(job, corner, sum) : store_rows<Format>(job, corner, sum, memory);
    }
}

}  // namespace ladder
