// Sums that the lanes of a warp share, each with a part of the products.
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

}  // namespace ladder
