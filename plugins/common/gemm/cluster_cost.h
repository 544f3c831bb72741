// The model of a product in tiles that clusters of blocks share, each warp of which multiplies n of its own.
//
// T is a tile: kM x kK of C for kWarps warps, which multiply kChunk n at a time; kResident blocks per SM.
#pragma once

#include <algorithm>
#include <cmath>

#include "cost_model.h"

namespace ladder {

// Predicted for an H100. A block's first copies take kLatency cycles, a warp by itself an issue slot of two, and a
// cluster kOfCluster; an SM multiplies at speed.rate of its peak, or as fast as L2 gives it kBytesOfL2 a cycle. In the
// end the warps' sums pass through shared memory twice. Matrices of so many elements come from memory if they are more
// than L2 holds.
template <class T>
double clusters_cycles(const Speed& speed, double tiles, int N, double elements, int blocks, int sms) {
    constexpr double kLatency = 1800, kSlotsOfWarp = 0.5, kOfCluster = 1200, kBytesOfL2 = 26;
    constexpr double kL2 = 50e6, kBytesOfMemory = 1300;
    const int steps = ceil_div(ceil_div(N, T::kChunk), T::kWarps * blocks);  // of a warp
    const double n = std::min(double(N), double(steps) * T::kWarps * T::kChunk);
    const double bytes = sizeof(float) * (T::kM + T::kK) * n, ffma_of_warp = steps * T::kChunk * (T::kM * T::kK / 32);
    const double adding = 2 * sizeof(float) * T::kWarps * T::kM * T::kK / 128.0;
    // What 32 x 32 reads of shared memory for an FFMA is what speed.rate was found with.
    const double rate = speed.rate * (T::kM * T::kK > 1024 ? 1.25 : 1);
    const double of_block = kLatency + ffma_of_warp / kSlotsOfWarp + adding;
    const double on_sm = std::max(ffma_cycles(T::kM * T::kK, n, rate), bytes / kBytesOfL2) + adding;
    const double of_sm = std::ceil(tiles * blocks / sms), waves = std::ceil(of_sm / T::kResident);
    const double bytes_of_all = sizeof(float) * elements;
    const double of_memory = bytes_of_all > kL2 ? bytes_of_all / kBytesOfMemory : 0;
    return speed.start + std::max({waves * of_block, kLatency + of_sm * on_sm, of_memory}) + (blocks > 1) * kOfCluster;
}

}  // namespace ladder
