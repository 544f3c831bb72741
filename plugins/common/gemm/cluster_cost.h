// The model of a product in tiles that clusters of blocks share, each warp of which multiplies n of its own.
//
// T is a tile: kM x kK of C for kWarps warps, which multiply kChunk n at a time; kResident blocks per SM.
#pragma once

#include <algorithm>
#include <cmath>

#include "cost_model.h"

namespace ladder {

// Figures of the model, predicted for an H100: cycles from a block's first copies to its sums, and of a cluster; bytes
// of L2 that an SM gets a cycle. A block multiplies, or waits for L2, and then adds its warps' sums, which pass through
// shared memory twice; blocks of one SM take turns at that, and each waits for its first copies by itself.
template <class T>
double clusters_cycles(const Speed& speed, double tiles, int N, int blocks, int sms) {
    constexpr double kLatency = 1800, kOfCluster = 1200, kBytesOfL2 = 26;
    const int steps = ceil_div(ceil_div(N, T::kChunk), T::kWarps * blocks);  // of a warp
    const double n = std::min(double(N), double(steps) * T::kWarps * T::kChunk);
    const double bytes = sizeof(float) * (T::kM + T::kK) * n;
    const double adding = 2 * sizeof(float) * T::kWarps * T::kM * T::kK / 128.0;
    const double multiplying = std::max(ffma_cycles(T::kM * T::kK, n, speed.rate), bytes / kBytesOfL2);
    const double of_sm = std::ceil(tiles * blocks / sms), waves = std::ceil(of_sm / T::kResident);
    return speed.start + waves * kLatency + of_sm * (multiplying + adding) + (blocks > 1) * kOfCluster;
}

}  // namespace ladder
