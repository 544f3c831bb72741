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

// The CUDA thread that is executing; device code only. Each one's stack is aligned to its size, and the stack's lowest
// word points to the thread: two instructions. A thread-local variable would be no slower only in static TLS, of which
// there are 1664 bytes for all libraries that a process loads late, so that the fourth plugin would not load.
__attribute__((always_inline)) inline Thread* current() {
    const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    return *reinterpret_cast<Thread**>(frame & ~uintptr_t{kStackSize - 1});
}

}  // namespace emulator

// threadIdx, blockIdx, blockDim and gridDim are read from current() by the rewriter, where the source has not declared
// a variable of that name.
constexpr int warpSize = 32;
