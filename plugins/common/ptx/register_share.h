// Registers move from the warps that need few to the warps that need many: setmaxnreg, on compute capability 9.0 alone.
// A rung that includes this header says so in its line "// build: ... as=90a": sm_90a has the instruction, sm_90 has
// not.
//
// A kernel starts with equally many registers per thread, at most 65536 / threads, and __launch_bounds__ must tell the
// compiler how many threads. The four warps of a warpgroup (threads 0 to 127, 128 to 255, ...) change theirs together:
// some give back what others then take, and who takes waits until there is enough.
#pragma once

#include "../export/launch.h"

namespace ladder {

// Leaves each thread of the calling warpgroup kCount registers, a multiple of 8 from 24 to 240: fewer than it had, or
// more. Without the instruction nothing happens.
template <int kCount>
__device__ __forceinline__ void give_registers() {
    static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 240);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
#endif
}

template <int kCount>
__device__ __forceinline__ void take_registers() {
    static_assert(kCount % 8 == 0 && kCount >= 24 && kCount <= 240);
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
#endif
}

}  // namespace ladder
