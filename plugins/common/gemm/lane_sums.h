// Sums that the lanes of a warp share, each with a part of the products: warp reductions by shuffles.
#pragma once

#include "../export/launch.h"

namespace ladder {

// Adds the sums of the lanes whose numbers differ in the bits of `least` (a power of 2) up to `end`: each of them has
// the total then.
template <int kRows, int kCols>
__device__ __forceinline__ void add_lanes(float (&sum)[kRows][kCols], int least, int end) {
    for (int offset = least; offset < end; offset *= 2) {
#pragma unroll
        for (int m = 0; m < kRows; ++m) {
#pragma unroll
            for (int k = 0; k < kCols; ++k) sum[m][k] += __shfl_xor_sync(0xffffffff, sum[m][k], offset);
        }
    }
}

// Adds kCount sums of each group of so many lanes, a power of 2. Each lane gets only some of the totals, in sum[0] and
// after: those from the returned number on, kCount / lanes of them, or one if there are more lanes than totals. At each
// of five stages a lane sends half of its sums to another lane and keeps the other half: 31 exchanges for 32 sums and
// lanes, where add_lanes() takes 160.
template <int kCount, int kLeast = 1>
__device__ __forceinline__ int divide_among_lanes(float* sum, int lanes) {
    if (kLeast >= lanes) return 0;
    constexpr int kHalf = kCount / 2, kNext = kCount == 1 ? 1 : kHalf;
    const bool upper = threadIdx.x & kLeast;
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
        const float own = upper ? sum[kHalf + i] : sum[i], other = upper ? sum[i] : sum[kHalf + i];
        sum[i] = own + __shfl_xor_sync(0xffffffff, other, kLeast);
    }
    if constexpr (kCount == 1) sum[0] += __shfl_xor_sync(0xffffffff, sum[0], kLeast);
    if constexpr (kLeast == 16) return upper ? kHalf : 0;
    if constexpr (kLeast < 16) {
        return (upper ? kHalf : 0) + divide_among_lanes<kNext, 2 * kLeast>(sum, lanes);
    }
}

}  // namespace ladder
