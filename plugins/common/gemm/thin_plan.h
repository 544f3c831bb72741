// How a product of few rows or few columns (a skinny one) is divided among blocks, and how long that takes. The large
// matrix is streamed once, by one block per SM, and memory is all that counts. Every block reads the thin matrix as
// well, but from L2, which is twice as fast.
#pragma once

#include <algorithm>
#include <bit>

#include "../export/device.h"
#include "cost_model.h"

namespace ladder {

constexpr int kThin = 8;  // rows or columns that are summed at a time, at most

// The instance of a kernel for so many rows or columns: 1, 2, 4 or 8 at a time.
inline int thin_instance(int count) {
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::min(count, kThin))));
}

struct ThinPlan {
    int beside = 0;  // adjacent threads, along the columns of the large matrix
    int64_t blocks = 0;
    int depth = 0, pieces = 1;  // of N
    double cycles = kNever;
};

// For blocks that load so many bytes each: memory gives each SM 13 bytes a cycle, and one alone some 24. A block's
// first loads and last sums take 2000 cycles.
inline double thin_cycles(int64_t blocks, double bytes, int sms) {
    const int64_t waves = blocks / sms, rest = blocks % sms;
    const double last = rest ? 2000 + bytes / std::min(24.0, 13.0 * sms / rest) : 0;
    return waves * (2000 + bytes / 13) + last;
}

// The best cut of N for blocks that take, for each n, as long as memory takes for `bytes`, and never less than for
// `step` n. C has `elements`. The second launch takes some 2.5 us, and L2 moves 2000 bytes a cycle.
inline ThinPlan thin_plan(int beside, int64_t blocks, double bytes, int step, int N, int64_t elements, int sms) {
    constexpr int kMinDepth = 128;
    constexpr int64_t kWorkspace = 64 << 20;  // bytes at most
    ThinPlan best{beside, blocks, N, 1, thin_cycles(blocks, bytes * std::max(N, step), sms)};
    const int64_t most = std::min<int64_t>(N / kMinDepth, kWorkspace / 4 / elements);
    for (const int waves : {1, 2, 4}) {
        const int64_t wanted = std::min(most, int64_t{waves} * sms / blocks);
        if (wanted < 2) continue;
        const int depth = ceil_div(ceil_div(N, static_cast<int>(wanted)), 32) * 32;  // whole sectors
        const int pieces = ceil_div(N, depth);
        const double adding = 4500 + 8.0 * elements * pieces / 2000;
        const double cycles = thin_cycles(blocks * pieces, bytes * std::max(depth, step), sms) + adding;
        if (cycles < best.cycles) best = {beside, blocks, depth, pieces, cycles};
    }
    return best;
}

}  // namespace ladder
