// The built-in variables of device code, and the thread and block that they are read from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../vector_types.h"

namespace emulator {

class BlockRunner;

struct Block {
    uint3 index;
    dim3 size;
    dim3 grid;
    BlockRunner* runner;
    void** shared_variables;  // by SharedVariable number; null until this block has met the declaration
    void* dynamic_shared;
};

struct Thread {
    uint3 index;
    unsigned linear;
    Block* block;
};

#ifdef __SANITIZE_ADDRESS__
constexpr size_t kStackSize = 256 << 10;  // red zones make frames several times larger
#else
constexpr size_t kStackSize = 64 << 10;
#endif

// The CUDA thread that is executing; device code only. Each one's stack is aligned to its size, and its first word
// points to the thread. It is at the top, where frames are, and a little lower in each stack: 32 words at multiples of
// 64 KiB would all fall into one set of the caches. A thread-local variable would be no slower only in static TLS, of
// which there are 1664 bytes for all libraries that a process loads late, so that the fourth plugin would not load.
__attribute__((always_inline)) inline Thread** first_word(uintptr_t in_stack) {
    const uintptr_t stagger = in_stack / (2 * kStackSize) % 32 * 128;
    return reinterpret_cast<Thread**>((in_stack | (kStackSize - 1)) - 63 - stagger);
}
__attribute__((always_inline)) inline Thread* current() {
    return *first_word(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

}  // namespace emulator

// threadIdx, blockIdx, blockDim and gridDim are read from current() by the rewriter, where the source has not declared
// a variable of that name.
constexpr int warpSize = 32;
