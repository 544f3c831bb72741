// A tile of sums that lies in shared memory, to a C whose rows are not aligned.
#pragma once

#include "epilogue.h"

namespace ladder {

// The first `rows` rows and `cols` columns of `sums`, by all threads of a block; C is the tile's corner. A warp stores
// whole rows, 128 bytes at a time, and a lane reads kAhead words ahead of the first store.
template <int kThreads, int kK, int kAhead, int kM, int kPitch>
__device__ __forceinline__ void store_rows(const float (&sums)[kM][kPitch], float* C, int64_t ldc, int rows, int cols,
                                           const Epilogue& epilogue) {
    constexpr int kWarps = kThreads / 32, kWords = kK / 32, kAtOnce = kAhead / kWords;  // rows, of a warp
    static_assert(kM % (kAtOnce * kWarps) == 0 && kK % 32 == 0, "whole passes");
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float* c = C + warp * ldc + lane;
    const float* from = &sums[warp][lane];
#pragma unroll 1
    for (int first = warp; first < min(rows, kM); first += kAtOnce * kWarps, from += kAtOnce * kWarps * kPitch) {
        float value[kAtOnce][kWords];
#pragma unroll
        for (int i = 0; i < kAtOnce * kWords; ++i) {
            value[i / kWords][i % kWords] = from[i / kWords * kWarps * kPitch + i % kWords * 32];
        }
#pragma unroll
        for (int r = 0; r < kAtOnce; ++r, c += kWarps * ldc) {
            if (first + r * kWarps >= rows) continue;
#pragma unroll
            for (int w = 0; w < kWords; ++w) {
                if (lane + 32 * w < cols) epilogue.store(c + 32 * w, value[r][w]);
            }
        }
    }
}

}  // namespace ladder
