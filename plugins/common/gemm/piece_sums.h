// How a block adds pieces of a product that lie in memory: always in the same order, so that every run gives the same
// bits.
#pragma once

#include "tile.h"

namespace ladder {

constexpr int kAddingThreads = 256;  // of a block

// sum = the sum of `count` times four numbers, of which load(four, i) reads the i-th. Where there are many, `groups`
// threads share them, one of each group of the block's, so that more SMs read and fewer reads wait for each other.
// `sums` is the block's. Returns whether this thread has the whole sum: those of the first group do.
template <class Load>
__device__ __forceinline__ bool add_pieces(float (&sum)[4], float (&sums)[kAddingThreads][4], int count, int groups,
                                           Load load) {
    constexpr int kAtOnce = 8;                    // that a thread reads at a time
    const int threads = kAddingThreads / groups;  // of a group
    const int group = threadIdx.x / threads;
    const int each = ceil_div(count, groups), last = min(count, (group + 1) * each);
#pragma unroll 1
    for (int i = group * each; i < last; i += kAtOnce) {
        alignas(16) float piece[kAtOnce][4] = {};
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
            if (i + j < last) load(piece[j], i + j);
        }
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
#pragma unroll
            for (int k = 0; k < 4; ++k) sum[k] += piece[j][k];
        }
    }
    if (groups == 1) return true;
    copy4(sums[threadIdx.x], sum);
    __syncthreads();
    if (group > 0) return false;
#pragma unroll 1
    for (int other = 1; other < groups; ++other) {
#pragma unroll
        for (int k = 0; k < 4; ++k) sum[k] += sums[other * threads + threadIdx.x][k];
    }
    return true;
}

}  // namespace ladder
