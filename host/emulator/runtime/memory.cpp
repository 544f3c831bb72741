// Allocation. Device memory is ordinary heap memory, so that AddressSanitizer sees any overrun.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../include/cuda_runtime_api.h"
#include "capture.h"
#include "deferred.h"
#include "device_memory.h"
#include "devices.h"
#include "error.h"
#include "injected.h"
#include "memory.h"
#include "stream.h"

namespace emulator {
namespace {

struct Allocation {
    size_t bytes;
    cudaMemoryType type;
    int device;
};

// What cudaMalloc has handed out, so that freeing anything else is the error that it is on a GPU; and what others have
// registered.
std::mutex memory_mutex;
std::map<const char*, Allocation> allocations, registered;
std::vector<void*> freed_in_order;  // and kept
size_t used[kMostDevices] = {};     // bytes of device memory
constexpr size_t kHugePage = size_t{2} << 20;

bool has_room(size_t bytes, cudaMemoryType type, int device) {
    const size_t memory = memory_of_device();
    return type != cudaMemoryTypeDevice || (used[device] <= memory && bytes <= memory - used[device]);
}

cudaError_t allocate(void** pointer, size_t bytes, cudaMemoryType type) {
    if (!pointer) return record(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return success_or_fault();
    constexpr size_t kMost = size_t{1} << 46;  // more is a request that AddressSanitizer would die of
    // Whole pages where they are to be closed to host code; else not a byte more, or no overrun would be seen. Huge
    // ones of what is large: each launch opens and closes all, one by one.
    const bool in_huge_pages = is_separate() && bytes >= 2 * kHugePage;
    const size_t alignment = in_huge_pages ? kHugePage : is_separate() ? 4096 : 256;
    const size_t reserved = is_separate() ? (bytes + alignment - 1) / alignment * alignment : bytes;
    const int device = current_device();
    if (is_injected("EMULATOR_MEMORY_FAIL")) return record(cudaErrorMemoryAllocation, "as EMULATOR_MEMORY_FAIL says");
    {
        const std::lock_guard lock(memory_mutex);
        if (!has_room(bytes, type, device)) {
            return record(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes, of " +
                                                         std::to_string(memory_of_device()) + " bytes " +
                                                         std::to_string(used[device]) + " are in use");
        }
        if (type == cudaMemoryTypeDevice) used[device] += bytes;
    }
    void* memory = nullptr;
    if (bytes > kMost || posix_memalign(&memory, alignment, reserved) != 0) {
        const std::lock_guard lock(memory_mutex);
        if (type == cudaMemoryTypeDevice) used[device] -= bytes;
        return record(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes");
    }
    if (in_huge_pages) madvise(memory, reserved, MADV_HUGEPAGE);
    // NaN, so that a read of what was never written shows. What no kernel here would come to the end of stays address
    // space, until it is touched.
    constexpr size_t kMostFilled = size_t{1} << 33;
    if (bytes < kMostFilled) std::memset(memory, 0xff, bytes);
    add_device_memory(memory, reserved, type == cudaMemoryTypeDevice ? Access::write : Access::shared);
    const std::lock_guard lock(memory_mutex);
    allocations[static_cast<char*>(memory)] = {bytes, type, device};
    *pointer = memory;
    return success_or_fault();
}

bool is_allocated(const void* pointer) {
    const std::lock_guard lock(memory_mutex);
    return allocations.count(static_cast<const char*>(pointer)) > 0;
}

// Where streams are told from each other what one has freed stays, for another one to run into.
bool is_kept() {
    return OrderAround::exists() && is_separate();
}

cudaError_t release(void* pointer, bool keep = false) {
    if (!pointer) return success_or_fault();
    {
        const std::lock_guard lock(memory_mutex);
        const auto found = allocations.find(static_cast<char*>(pointer));
        if (found == allocations.end())
            return record(cudaErrorInvalidValue, "not a pointer from cudaMalloc, or freed before");
        const Allocation& allocation = found->second;
        if (allocation.type == cudaMemoryTypeDevice) used[allocation.device] -= allocation.bytes;
        allocations.erase(found);
        if (keep) freed_in_order.push_back(pointer);
    }
    if (keep) return change_device_memory(pointer, Access::none), success_or_fault();
    remove_device_memory(pointer);
    std::free(pointer);
    return success_or_fault();
}

// That which contains the address, or null.
const Allocation* find_in(const std::map<const char*, Allocation>& all, const void* address) {
    const char* const at = static_cast<const char*>(address);
    auto next = all.upper_bound(at);
    if (next == all.begin()) return nullptr;
    --next;
    return at < next->first + next->second.bytes ? &next->second : nullptr;
}

}  // namespace

void release_freed_in_order() {
    std::vector<void*> all;
    {
        const std::lock_guard lock(memory_mutex);
        all.swap(freed_in_order);
    }
    for (void* const each : all) {
        remove_device_memory(each);
        std::free(each);
    }
}

size_t live_allocations() {
    const std::lock_guard lock(memory_mutex);
    return allocations.size();
}

Memory memory_at(const void* address) {
    const std::lock_guard lock(memory_mutex);
    if (const Allocation* const found = find_in(allocations, address)) return {found->type, found->device};
    if (const Allocation* const found = find_in(registered, address)) return {found->type, found->device};
    return {};
}

void add_registered(const void* begin, size_t bytes) {
    const std::lock_guard lock(memory_mutex);
    registered[static_cast<const char*>(begin)] = {bytes, cudaMemoryTypeHost, current_device()};
}

void remove_registered(const void* begin) {
    const std::lock_guard lock(memory_mutex);
    registered.erase(static_cast<const char*>(begin));
}

}  // namespace emulator

using emulator::record;
using emulator::success_or_fault;

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    if (const cudaError_t error = emulator::refuse_unsafe_in_capture("cudaMalloc"); error != cudaSuccess) return error;
    return emulator::allocate(pointer, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
    if (const cudaError_t error = emulator::refuse_unsafe_in_capture("cudaMallocHost"); error != cudaSuccess) {
        return error;
    }
    return emulator::allocate(pointer, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int) {
    return emulator::allocate(pointer, bytes, cudaMemoryTypeManaged);
}
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    const cudaError_t error = emulator::allocate(pointer, bytes, cudaMemoryTypeDevice);
    if (error != cudaSuccess || !*pointer || !emulator::is_kept()) return error;
    emulator::change_device_memory(*pointer, emulator::Access::none);
    emulator::defer(emulator::lane_of(stream), [memory = *pointer] {
        if (emulator::is_allocated(memory)) emulator::change_device_memory(memory, emulator::Access::write);
    });
    return error;
}
cudaError_t cudaFree(void* pointer) {
    if (const cudaError_t error = emulator::refuse_unsafe_in_capture("cudaFree"); error != cudaSuccess) return error;
    emulator::wait_for_all_devices();
    emulator::host_waited_for_all();
    return emulator::release(pointer);
}
cudaError_t cudaFreeHost(void* pointer) {
    if (const cudaError_t error = emulator::refuse_unsafe_in_capture("cudaFreeHost"); error != cudaSuccess) {
        return error;
    }
    emulator::wait_for_all_devices();
    return emulator::release(pointer);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    if (!emulator::is_deferred()) return emulator::release(pointer);
    if (pointer && !emulator::is_allocated(pointer)) return emulator::release(pointer);  // the error
    emulator::defer(emulator::lane_of(stream), [=] { emulator::release(pointer, emulator::is_kept()); });
    return success_or_fault();
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (!attributes) return record(cudaErrorInvalidValue);
    const emulator::Memory memory = emulator::memory_at(pointer);
    *attributes = {};
    attributes->type = memory.type;
    attributes->device = memory.device;
    attributes->devicePointer = attributes->hostPointer = const_cast<void*>(pointer);
    return success_or_fault();
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    if (!free || !total) return record(cudaErrorInvalidValue);
    const std::lock_guard lock(emulator::memory_mutex);
    *total = emulator::memory_of_device();
    *free = *total - std::min(*total, emulator::used[emulator::current_device()]);
    return success_or_fault();
}
