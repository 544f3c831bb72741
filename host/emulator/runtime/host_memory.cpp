// Memory that host and device share: pinned, mapped, registered. And pitched allocation.
#include "../include/cuda_runtime_api.h"
#include "device_memory.h"
#include "error.h"
#include "memory.h"

using emulator::record;
using emulator::success_or_fault;

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) {
    return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
    if (!device || !host || flags != 0) return record(cudaErrorInvalidValue);
    *device = host;
    return success_or_fault();
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int) {
    if (!pointer || bytes == 0) return record(cudaErrorInvalidValue);
    emulator::add_device_memory(pointer, bytes, emulator::Access::shared);
    emulator::add_registered(pointer, bytes);
    return success_or_fault();
}

cudaError_t cudaHostUnregister(void* pointer) {
    if (!pointer) return record(cudaErrorInvalidValue);
    emulator::remove_device_memory(pointer);
    emulator::remove_registered(pointer);
    return success_or_fault();
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    if (!pitch) return record(cudaErrorInvalidValue);
    constexpr size_t kAlignment = 512;
    *pitch = (width + kAlignment - 1) / kAlignment * kAlignment;
    return cudaMalloc(pointer, *pitch * height);
}
