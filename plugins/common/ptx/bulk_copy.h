// One thread's copy of a long piece of global memory into shared memory, which passes through no registers and takes
// one instruction whatever its length: cp.async.bulk, on GPUs of compute capability 9.0 and later. It is done by the
// unit that copies tiles by TMA, but needs no tensor map.
//
// The bytes are announced to an mbarrier (arrive_expecting), and the phase to which they are is complete when all of
// them are there.
//
// On the CPU they arrive as late as can be, see mbarrier.h; until then their destination holds NaN.
#pragma once

#include <cstring>

#include "mbarrier.h"

namespace ladder {

// Once, after the mbarriers have been made and before the __syncthreads that follows: the unit that copies must see
// them too. The first is for copies that this block requests; the second, which on sm_90 is a fence for all of the GPU,
// for those of other blocks of its cluster, too.
__device__ __forceinline__ void show_barriers_to_own_copies() {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
__device__ __forceinline__ void show_barriers_to_copies() {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
    asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;" ::: "memory");
#endif
}

// A proxy fence: what this thread has written to any memory, or knows to be written, is to be seen by copies that
// follow, and what it has read may be overwritten by them.
__device__ __forceinline__ void show_memory_to_copies() {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

// `bytes` and both addresses are multiples of 16.
__device__ __forceinline__ void bulk_copy(void* to, const void* from, unsigned bytes, Mbarrier& barrier);

#ifdef SOLVE_EMULATOR

inline void bulk_copy(void* to, const void* from, unsigned bytes, Mbarrier& barrier) {
    if (reinterpret_cast<uintptr_t>(to) % 16 != 0 || reinterpret_cast<uintptr_t>(from) % 16 != 0 || bytes % 16 != 0) {
        __builtin_trap();  // as on the GPU: misaligned address
    }
    barrier.land_later(to, bytes, [=] { std::memcpy(to, from, bytes); });
}

#else

__device__ __forceinline__ void bulk_copy(void* to, const void* from, unsigned bytes, Mbarrier& barrier) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(bytes), "r"(barrier.address())
                 : "memory");
#endif
}

#endif

}  // namespace ladder
