// What a device is. Its numbers are those of an H100 where a kernel's host code may build on them.

#include <cstdio>

#include "../include/cuda_runtime_api.h"
#include "capture.h"
#include "deferred.h"
#include "devices.h"
#include "error.h"
#include "shared_memory.h"
#include "solve_call.h"
#include "stream.h"

using emulator::record;
using emulator::SharedMemory;
using emulator::success_or_fault;

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!properties) return record(cudaErrorInvalidValue);
    if (!emulator::is_device(device)) return record(cudaErrorInvalidDevice);
    *properties = {};
    std::snprintf(properties->name, sizeof(properties->name), "CPU emulator");
    properties->totalGlobalMem = emulator::memory_of_device();
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
    // Not the machine's cores: a kernel that is cut by the number of SMs is cut alike everywhere then, into several
    // parts.
    properties->multiProcessorCount = 8;
    properties->clockRate = 1000000;
    properties->l2CacheSize = 50 << 20;
    properties->memoryClockRate = 2619000;
    properties->memoryBusWidth = 5120;
    properties->maxBlocksPerMultiProcessor = 32;
    properties->reservedSharedMemPerBlock = 1024;
    properties->memPitch = 0x7fffffff;
    properties->textureAlignment = 512;
    properties->deviceOverlap = properties->canMapHostMemory = properties->concurrentKernels = 1;
    properties->asyncEngineCount = properties->unifiedAddressing = properties->managedMemory = 1;
    properties->concurrentManagedAccess = 1;
    return success_or_fault();
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp properties;
    if (!value) return record(cudaErrorInvalidValue);
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return error;
    switch (attribute) {
#define EMULATOR_ATTRIBUTE(name, field)              \
    case cudaDevAttr##name:                          \
        *value = static_cast<int>(properties.field); \
        break;
        EMULATOR_ATTRIBUTE(MaxThreadsPerBlock, maxThreadsPerBlock)
        EMULATOR_ATTRIBUTE(MaxBlockDimX, maxThreadsDim[0])
        EMULATOR_ATTRIBUTE(MaxBlockDimY, maxThreadsDim[1])
        EMULATOR_ATTRIBUTE(MaxBlockDimZ, maxThreadsDim[2])
        EMULATOR_ATTRIBUTE(MaxGridDimX, maxGridSize[0])
        EMULATOR_ATTRIBUTE(MaxGridDimY, maxGridSize[1])
        EMULATOR_ATTRIBUTE(MaxGridDimZ, maxGridSize[2])
        EMULATOR_ATTRIBUTE(MaxSharedMemoryPerBlock, sharedMemPerBlock)
        EMULATOR_ATTRIBUTE(TotalConstantMemory, totalConstMem)
        EMULATOR_ATTRIBUTE(WarpSize, warpSize)
        EMULATOR_ATTRIBUTE(MaxRegistersPerBlock, regsPerBlock)
        EMULATOR_ATTRIBUTE(ClockRate, clockRate)
        EMULATOR_ATTRIBUTE(MultiProcessorCount, multiProcessorCount)
        EMULATOR_ATTRIBUTE(Integrated, integrated)
        EMULATOR_ATTRIBUTE(CanMapHostMemory, canMapHostMemory)
        EMULATOR_ATTRIBUTE(ConcurrentKernels, concurrentKernels)
        EMULATOR_ATTRIBUTE(EccEnabled, ECCEnabled)
        EMULATOR_ATTRIBUTE(MemoryClockRate, memoryClockRate)
        EMULATOR_ATTRIBUTE(GlobalMemoryBusWidth, memoryBusWidth)
        EMULATOR_ATTRIBUTE(L2CacheSize, l2CacheSize)
        EMULATOR_ATTRIBUTE(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor)
        EMULATOR_ATTRIBUTE(AsyncEngineCount, asyncEngineCount)
        EMULATOR_ATTRIBUTE(UnifiedAddressing, unifiedAddressing)
        EMULATOR_ATTRIBUTE(ComputeCapabilityMajor, major)
        EMULATOR_ATTRIBUTE(ComputeCapabilityMinor, minor)
        EMULATOR_ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor)
        EMULATOR_ATTRIBUTE(MaxRegistersPerMultiprocessor, regsPerMultiprocessor)
        EMULATOR_ATTRIBUTE(ManagedMemory, managedMemory)
        EMULATOR_ATTRIBUTE(ConcurrentManagedAccess, concurrentManagedAccess)
        EMULATOR_ATTRIBUTE(CooperativeLaunch, cooperativeLaunch)
        EMULATOR_ATTRIBUTE(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin)
        EMULATOR_ATTRIBUTE(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor)
        EMULATOR_ATTRIBUTE(MaxPersistingL2CacheSize, persistingL2CacheMaxSize)
        EMULATOR_ATTRIBUTE(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock)
        EMULATOR_ATTRIBUTE(MemoryPoolsSupported, memoryPoolsSupported)
        EMULATOR_ATTRIBUTE(ClusterLaunch, clusterLaunch)
#undef EMULATOR_ATTRIBUTE
        default:
            return record(cudaErrorInvalidValue, "an attribute that the emulated device does not have");
    }
    return success_or_fault();
}

cudaError_t cudaDeviceSynchronize() {
    if (const cudaError_t error = emulator::refuse_in_capture("cudaDeviceSynchronize"); error != cudaSuccess) {
        return error;
    }
    emulator::wait_for_device(emulator::current_device());
    emulator::host_waited_for_all();
    return success_or_fault();
}

cudaError_t cudaDeviceReset() {
    if (emulator::SolveCall::is_inside()) {
        emulator::record_fault(cudaErrorLaunchFailure,
                               "cudaDeviceReset() in a call: it frees what the caller has on the device, C too");
        return cudaSuccess;
    }
    emulator::forget_deferred();
    emulator::clear_fault();
    cudaGetLastError();
    return cudaSuccess;
}
