// Allocation and copies. Device memory is ordinary heap memory, so that AddressSanitizer sees any overrun.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "../include/cuda_runtime_api.h"
#include "device_memory.h"
#include "error.h"
#include "memory.h"
#include "solve_call.h"
#include "stream.h"

namespace emulator {
namespace {

// What cudaMalloc has handed out, so that freeing anything else is the error that it is on a GPU.
std::mutex mutex;
std::unordered_set<void*> allocations;

cudaError_t allocate(void** pointer, size_t bytes, Access access) {
    if (!pointer) return record(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return success_or_fault();
    constexpr size_t kMost = size_t{1} << 46;  // more is a request that AddressSanitizer would die of
    // Whole pages where they are to be closed to host code; else not a byte more, or no overrun would be seen.
    const size_t alignment = is_separate() ? 4096 : 256;
    const size_t reserved = is_separate() ? (bytes + alignment - 1) / alignment * alignment : bytes;
    void* memory = nullptr;
    if (bytes > kMost || posix_memalign(&memory, alignment, reserved) != 0) {
        return record(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes");
    }
    std::memset(memory, 0xff, bytes);  // NaN, so that a read of what was never written shows
    add_device_memory(memory, reserved, access);
    const std::lock_guard lock(mutex);
    allocations.insert(memory);
    *pointer = memory;
    return success_or_fault();
}

cudaError_t release(void* pointer) {
    if (!pointer) return success_or_fault();
    {
        const std::lock_guard lock(mutex);
        if (allocations.erase(pointer) == 0)
            return record(cudaErrorInvalidValue, "not a pointer from cudaMalloc, or freed before");
    }
    remove_device_memory(pointer);
    std::free(pointer);
    return success_or_fault();
}

// Where the kind of a copy says device, and host memory is, or the other way round.
bool is_misdirected(const void* target, const void* source, cudaMemcpyKind kind) {
    if (!SolveCall::is_inside() || kind == cudaMemcpyDefault) return false;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const auto mismatches = [](const void* pointer, bool device) {
        return device ? is_host_memory(pointer) : is_closed_memory(pointer);
    };
    return mismatches(target, to_device) || mismatches(source, from_device);
}

}  // namespace

size_t live_allocations() {
    const std::lock_guard lock(mutex);
    return allocations.size();
}

}  // namespace emulator

using emulator::record;
using emulator::success_or_fault;

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    return emulator::allocate(pointer, bytes, emulator::Access::write);
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
    return emulator::allocate(pointer, bytes, emulator::Access::shared);
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int) {
    return emulator::allocate(pointer, bytes, emulator::Access::shared);
}
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) {
    return emulator::allocate(pointer, bytes, emulator::Access::write);
}
cudaError_t cudaFree(void* pointer) {
    emulator::host_waited_for_all();
    return emulator::release(pointer);
}
cudaError_t cudaFreeHost(void* pointer) {
    return emulator::release(pointer);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) {
    return emulator::release(pointer);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    if (!attributes) return record(cudaErrorInvalidValue);
    const std::lock_guard lock(emulator::mutex);
    const bool ours = emulator::allocations.count(const_cast<void*>(pointer)) > 0;
    *attributes = {};
    attributes->type = ours ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    attributes->devicePointer = attributes->hostPointer = const_cast<void*>(pointer);
    return success_or_fault();
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    if (!free || !total) return record(cudaErrorInvalidValue);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    *free = *total = properties.totalGlobalMem;
    return success_or_fault();
}

namespace {
cudaError_t copy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return record(cudaErrorInvalidValue, "unknown cudaMemcpyKind");
    if (bytes > 0 && (!target || !source))
        return record(cudaErrorInvalidValue, "cudaMemcpy with a null pointer or past a symbol's end");
    if (bytes > 0 && emulator::is_misdirected(target, source, kind))
        return record(cudaErrorInvalidValue, "cudaMemcpy in a direction that its kind does not say");
    const emulator::DeviceAccess access;
    if (bytes > 0) std::memmove(target, source, bytes);
    return success_or_fault();
}
}  // namespace

cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
    if (kind != cudaMemcpyDeviceToDevice) emulator::host_waited_for_default_stream();
    return copy(target, source, bytes, kind);
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    emulator::work_begins_on(stream);
    return copy(target, source, bytes, kind);
}

cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
    if (width > target_pitch || width > source_pitch) return record(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row) {
        const cudaError_t error = cudaMemcpy(static_cast<char*>(target) + row * target_pitch,
                                             static_cast<const char*>(source) + row * source_pitch, width, kind);
        if (error != cudaSuccess) return error;
    }
    return success_or_fault();
}

cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
    return cudaMemcpy2D(target, target_pitch, source, source_pitch, width, height, kind);
}

cudaError_t cudaMemset(void* target, int value, size_t bytes) {
    if (bytes > 0 && !target) return record(cudaErrorInvalidValue, "cudaMemset of a null pointer");
    if (bytes > 0 && emulator::SolveCall::is_inside() && emulator::is_host_memory(target))
        return record(cudaErrorInvalidValue, "cudaMemset of host memory");
    const emulator::DeviceAccess access;
    if (bytes > 0) std::memset(target, value, bytes);
    return success_or_fault();
}

cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
    emulator::work_begins_on(stream);
    return cudaMemset(target, value, bytes);
}

cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch) return record(cudaErrorInvalidPitchValue);
    for (size_t row = 0; row < height; ++row) {
        const cudaError_t error = cudaMemset(static_cast<char*>(target) + row * pitch, value, width);
        if (error != cudaSuccess) return error;
    }
    return success_or_fault();
}

cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
    return cudaMemset2D(target, pitch, value, width, height);
}
