// Adding the sums of warps that each multiply a slice of the n of a tile: the reduction of sliced-K.
#pragma once

#include "../ptx/mbarrier.h"
#include "warp64x64.h"

namespace ladder::warp64x64 {

// Adds the sums of the warps that share a part of the tile; each thread gets kOwn rows of it, those from kOwn * slice
// on. Returns one received message's place, which the caller may use as scratch memory until it arrives at `read`.
// kLinesA, kLinesB: that operand was copied by CopiesOfLines, which swaps the lines l and l ^ 2 in every second 8 n.
// Those are the n of every second slice, so its sums are of swapped lines, and are swapped back here.
template <class T, bool kLinesA, bool kLinesB>
__device__ __forceinline__ float* add_slices(typename T::Shared& shared, const float (&sum)[kRows][kCols],
                                             float (&own)[T::kOwn][kCols], int parity) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, slice = warp / T::kParts, part = warp % T::kParts;
    const auto place = [&](int from, int to, int row, int col) {
        const int message = (from * T::kParts + part) * (T::kSlices - 1) + to - (to > from);
        return &shared.sums[(message * T::kOwn + row) * kCols * 32 + (col / 4 * 32 + lane) * 4];
    };
    shared.read.wait(parity ^ 1);  // what was here before
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int to = i / T::kOwn;
#pragma unroll
        for (int j = 0; j < kCols; j += 4) {
            if (to != slice) ladder::copy4(place(slice, to, i % T::kOwn, j), &sum[i][j]);
        }
#pragma unroll
        for (int j = 0; j < kCols; ++j) {
            float& mine = own[i % T::kOwn ^ (kLinesA & to) * 2][j ^ (kLinesB & to) * 2];
            mine = to == slice ? sum[i][j] : mine;
        }
    }
    __syncwarp();
    if (lane == 0) shared.written.arrive();
    shared.written.wait(parity);
    const auto add = [&](int from) {
        if (from == slice) return;
#pragma unroll
        for (int i = 0; i < T::kOwn; ++i) {
#pragma unroll
            for (int j = 0; j < kCols; j += 4) {
                alignas(16) float other[4];
                ladder::copy4(other, place(from, slice, i, j));
#pragma unroll
                for (int k = 0; k < 4; ++k) own[i ^ (kLinesA & from) * 2][(j + k) ^ (kLinesB & from) * 2] += other[k];
            }
        }
    };
    if constexpr (kLinesA || kLinesB) {
#pragma unroll
        for (int from = 0; from < T::kSlices; ++from) add(from);
    } else {
        for (int from = 0; from < T::kSlices; ++from) add(from);
    }
    return place(slice == 0, slice, 0, 0) - lane * 4;
}

}  // namespace ladder::warp64x64
