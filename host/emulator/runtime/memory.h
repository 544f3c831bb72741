// What cudaMalloc and its kin have handed out and not got back.
#pragma once

#include <cstddef>

#include "../include/emulator/api_types.h"

namespace emulator {

size_t live_allocations();

struct Memory {
    cudaMemoryType type = cudaMemoryTypeUnregistered;
    int device = 0;  // whose it is
};
// What lies at an address, within an allocation too; of what was registered, cudaMemoryTypeHost.
Memory memory_at(const void* address);

// Memory of somebody else that is the host's and pinned, from add to remove.
void add_registered(const void* begin, size_t bytes);
void remove_registered(const void* begin);

// With OrderAround what is freed in the order of a stream is kept until here, and not to be accessed.
void release_freed_in_order();

}  // namespace emulator
