// How much shared memory a block gets, and how many threads it can have where that depends on them.
#pragma once

#include <algorithm>
#include <cmath>

#include "../export/device.h"

namespace ladder {

struct BlockSize {
    int threads, shared;  // bytes
};

// `wanted` threads in whole warps, halved until shared_for(threads) is no more than a block can have. The block gets
// more than half of an SM's shared memory, so that only one fits: blocks of the next kernel, which may start early,
// would otherwise be placed in pairs on the SMs that have room, and every other SM would stay idle.
template <class SharedFor>
BlockSize fit_block(int wanted, SharedFor shared_for, const SharedMemory& memory) {
    int threads = ceil_div(wanted, 32) * 32;
    while (shared_for(threads) > memory.of_block && threads > 32) threads = ceil_div(threads / 2, 32) * 32;
    const int bytes = shared_for(threads);
    return {threads, std::clamp(memory.of_sm / 2 + 1, bytes, std::max(bytes, memory.of_block))};
}

// What the system takes of the shared memory of each block, and what it is allotted in: bytes.
constexpr int kSharedOfSystem = 1024, kSharedUnit = 128;

// The shared memory with which no more than so many blocks fit per SM, if a block can have it.
inline int shared_that_lets(int resident, int needed, const DeviceFigures& device) {
    const int bytes = device.shared_of_sm / (resident + 1) - kSharedOfSystem + kSharedUnit;
    return std::clamp(bytes, needed, std::max(needed, device.shared_of_block));
}

// The shared memory of each of so many blocks, for which `needed` bytes are enough. If the blocks of two kernels do not
// fit on an SM together, it is raised until no more blocks are resident per SM than must be. Otherwise those of the
// next kernel, which may start early, would go wherever there is room, `resident` to one SM and few to another: with
// 580 blocks, 8 of which fit per SM, a call took 26 us in place of 21, and hundreds of such calls 7 to 18 % longer in
// the mean. (If the blocks of two kernels fit, they are distributed evenly, and the memory is worth more as L1.)
// Before compute capability 9.0 no kernel starts early.
inline int shared_for_even_blocks(int needed, double blocks, int resident, const DeviceFigures& device) {
    resident = std::min(resident, device.shared_of_sm / (needed + kSharedOfSystem));
    const double fewest = std::ceil(blocks / device.sms);
    if (device.capability < 90 || fewest >= resident || 2 * fewest <= resident) return needed;
    return shared_that_lets(static_cast<int>(fewest), needed, device);
}

// The same where the next kernel is another one, which adds what this one leaves, or one of few and long blocks: never
// more blocks per SM than must be. 256 blocks of rung 71 took 73.8 us back to back in place of 53.7. With two per SM,
// where five fit, one in eleven products took 1.2 to 1.7 times as long, by their times with three on one SM and one on
// another: 492 x 492 x 492 in tiles of 64 x 64 14.2 us with four pieces of N, 10.7 with two.
inline int shared_for_fewest_blocks(int needed, double blocks, int resident, const DeviceFigures& device) {
    const double fewest = std::min<double>(std::ceil(blocks / device.sms), resident);
    return shared_that_lets(static_cast<int>(fewest), needed, device);
}

}  // namespace ladder
