// Calls that on a GPU choose a policy: limits, preferences, priorities. Here they are checked and have no effect.
#include "../include/cuda_runtime_api.h"
#include "error.h"

using emulator::record;
using emulator::success_or_fault;

namespace {

template <class T>
cudaError_t answer(T* target, T value) {
    if (!target) return record(cudaErrorInvalidValue);
    *target = value;
    return success_or_fault();
}

cudaError_t check(bool valid, cudaError_t otherwise = cudaErrorInvalidValue) {
    return valid ? success_or_fault() : record(otherwise);
}

}  // namespace

cudaError_t cudaThreadSynchronize() {
    return cudaDeviceSynchronize();
}
cudaError_t cudaThreadExit() {
    return cudaDeviceReset();
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
    return properties ? answer(device, 0) : record(cudaErrorInvalidValue);
}
cudaError_t cudaSetDeviceFlags(unsigned int) {
    return success_or_fault();
}
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
    return answer(flags, cudaDeviceScheduleAuto);
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    switch (limit) {
        case cudaLimitStackSize:
            return answer<size_t>(value, 1024);
        case cudaLimitPrintfFifoSize:
            return answer<size_t>(value, 1 << 20);
        case cudaLimitMallocHeapSize:
            return answer<size_t>(value, 8 << 20);
        default:
            return record(cudaErrorUnsupportedLimit);
    }
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t) {
    return check(limit <= cudaLimitPersistingL2CacheSize, cudaErrorUnsupportedLimit);
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* configuration) {
    return answer(configuration, cudaFuncCachePreferNone);
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
    return success_or_fault();
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* configuration) {
    return answer(configuration, cudaSharedMemBankSizeFourByte);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return success_or_fault();
}
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
    return check(function, cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return success_or_fault();
}
cudaError_t cudaDriverGetVersion(int* version) {
    return answer(version, CUDART_VERSION);
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    return answer(version, CUDART_VERSION);
}
cudaError_t cudaProfilerStart() {
    return success_or_fault();
}
cudaError_t cudaProfilerStop() {
    return success_or_fault();
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int) {
    return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
    return cudaEventRecord(event, stream);
}
