// How many threads a block can have where its shared memory depends on them.
#pragma once

#include <algorithm>

#include "../export/device.h"

namespace ladder {

struct BlockSize {
    int threads, shared;  // bytes
};

// `wanted` threads in whole warps, or the half as often as shared_for(threads) is more bytes than a block can have. It
// gets so much shared memory that there is room for one block per SM: those of the next kernel, which may start early,
// would be placed in pairs on the SMs that have room, and every other SM would stay idle.
template <class SharedFor>
BlockSize fit_block(int wanted, SharedFor shared_for, const SharedMemory& memory) {
    int threads = ceil_div(wanted, 32) * 32;
    while (shared_for(threads) > memory.of_block && threads > 32) threads = ceil_div(threads / 2, 32) * 32;
    const int bytes = shared_for(threads);
    return {threads, std::clamp(memory.of_sm / 2 + 1, bytes, std::max(bytes, memory.of_block))};
}

}  // namespace ladder
