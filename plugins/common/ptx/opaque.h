// Pointers of which the compiler does not know how they came about, so that it adds a step to them where the source
// does. Otherwise it computes some anew from where they began, with multiplications, and keeps others twice. Numbers,
// so that what follows from them is computed where it is needed, in place of being kept in registers.
#pragma once

#include "../export/launch.h"

namespace ladder {

template <class T>
__device__ __forceinline__ T* opaque(T* pointer) {
#ifndef SOLVE_EMULATOR
    asm volatile("" : "+l"(pointer));
#endif
    return pointer;
}

__device__ __forceinline__ unsigned opaque(unsigned number) {
#ifndef SOLVE_EMULATOR
    asm volatile("" : "+r"(number));
#endif
    return number;
}

// To shared memory, which the compiler goes on to know.
template <class T>
__device__ __forceinline__ T* opaque_shared(T* pointer) {
#ifndef SOLVE_EMULATOR
    auto address = static_cast<unsigned>(__cvta_generic_to_shared(pointer));
    asm volatile("" : "+r"(address));
    pointer = static_cast<T*>(__cvta_shared_to_generic(address));
#endif
    return pointer;
}

}  // namespace ladder
