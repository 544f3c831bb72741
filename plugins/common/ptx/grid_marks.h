// What blocks of one launch tell each other through global memory, without a barrier of the whole grid: numbers that a
// block leaves, its marks (flags, with release and acquire), and that others wait for. A block that waits must run
// beside those that it waits for: a cooperative launch, one of blocks of which all that wait for each other find room,
// or a wait only for blocks that have taken work, and so have begun.
//
// For marks no memory need be cleared before, so that a call takes one launch, in a graph too: beside them lies a
// number that all of these blocks read as they begin, and what they leave is mark_after() of that. Once everybody has
// read it, one of them puts what they left in its place, and the next launch's marks are others. What was in the memory
// before the first launch is a mark only by an accident of 64 bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../export/launch.h"

namespace ladder {

// The next of 2^64 numbers that all differ. (Knuth's factor and summand for 64 bits.)
__device__ __forceinline__ uint64_t mark_after(uint64_t number) {
    return number * 6364136223846793005u + 1442695040888963407u;
}

// What lies there, a mark or a count of 32 bits; if a block has left it there, or added to it behind a fence, this
// thread sees what that block's threads wrote before.
template <class T>
__device__ __forceinline__ T read_mark(T* from) {
    constexpr bool kIsLong = sizeof(T) == 8;
#ifndef SOLVE_EMULATOR
    T value;
    if constexpr (kIsLong) {
        asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    } else {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    }
    return value;
#else
    using Word = std::conditional_t<kIsLong, unsigned long long, unsigned>;
    return atomicAdd(reinterpret_cast<Word*>(from), Word{0});
#endif
}

// Leaves a mark, behind all that this thread has written or knows to be written.
__device__ __forceinline__ void leave_mark(uint64_t* to, uint64_t mark) {
#ifndef SOLVE_EMULATOR
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(mark) : "memory");
#else
    atomicExch(reinterpret_cast<unsigned long long*>(to), mark);
#endif
}

__device__ __forceinline__ void wait_for_mark(uint64_t* from, uint64_t mark) {
    while (read_mark(from) != mark) {
    }
}

}  // namespace ladder
