// The one device there is. Its numbers are those of an H100 where a kernel's host code may build on them.
#include <unistd.h>

#include <cstdio>

#include "../include/cuda_runtime_api.h"
#include "error.h"
#include "shared_memory.h"

using emulator::record;
using emulator::SharedMemory;
using emulator::success_or_fault;

cudaError_t cudaGetDevice(int* device) {
    if (!device) return record(cudaErrorInvalidValue);
    *device = 0;
    return success_or_fault();
}

cudaError_t cudaSetDevice(int device) {
    return device == 0 ? success_or_fault() : record(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceCount(int* count) {
    if (!count) return record(cudaErrorInvalidValue);
    *count = 1;
    return success_or_fault();
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!properties) return record(cudaErrorInvalidValue);
    if (device != 0) return record(cudaErrorInvalidDevice);
    *properties = {};
    std::snprintf(properties->name, sizeof(properties->name), "CPU emulator");
    properties->totalGlobalMem = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    properties->sharedMemPerBlock = SharedMemory::kDefault;
    properties->sharedMemPerBlockOptin = SharedMemory::kMaximum;
    properties->sharedMemPerMultiprocessor = SharedMemory::kMaximum + 1024;
    properties->totalConstMem = 65536;
    properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
    properties->maxThreadsDim[2] = 64;
    properties->maxGridSize[0] = 0x7fffffff;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->major = 9;
    properties->minor = 0;
    properties->multiProcessorCount = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    properties->clockRate = 1000000;
    properties->l2CacheSize = 50 << 20;
    return success_or_fault();
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp properties;
    if (!value) return record(cudaErrorInvalidValue);
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return error;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = properties.maxThreadsPerBlock;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = static_cast<int>(properties.sharedMemPerBlock);
            break;
        case cudaDevAttrWarpSize:
            *value = properties.warpSize;
            break;
        case cudaDevAttrClockRate:
            *value = properties.clockRate;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = properties.multiProcessorCount;
            break;
        case cudaDevAttrL2CacheSize:
            *value = properties.l2CacheSize;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = properties.maxThreadsPerMultiProcessor;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = properties.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = properties.minor;
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(properties.sharedMemPerMultiprocessor);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(properties.sharedMemPerBlockOptin);
            break;
        default:
            return record(cudaErrorInvalidValue);
    }
    return success_or_fault();
}

cudaError_t cudaDeviceSynchronize() {
    return success_or_fault();
}

cudaError_t cudaDeviceReset() {
    emulator::clear_fault();
    cudaGetLastError();
    return cudaSuccess;
}
