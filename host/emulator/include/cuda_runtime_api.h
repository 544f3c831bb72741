// The part of the CUDA runtime that a kernel's host code uses. Device memory is ordinary memory, and every call has
// finished when it returns, but for those that are deferred (runtime/deferred.h).
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "emulator/api_types.h"
#include "emulator/launch.h"
#include "emulator/qualifiers.h"

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);

cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaThreadExit();
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int* flags);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* configuration);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache configuration);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* configuration);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig configuration);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

cudaError_t cudaMalloc(void** pointer, size_t bytes);
cudaError_t cudaMallocHost(void** pointer, size_t bytes);
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal);
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags);
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                                cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* target, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream = nullptr);

// By value or by location, as CUDA 12 and 13 have it.
template <class Location>
cudaError_t cudaMemPrefetchAsync(const void*, size_t, Location, unsigned int, cudaStream_t) {
    return cudaPeekAtLastError();
}
template <class Location>
cudaError_t cudaMemPrefetchAsync(const void*, size_t, Location, cudaStream_t = nullptr) {
    return cudaPeekAtLastError();
}
template <class Location>
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, Location) {
    return cudaPeekAtLastError();
}

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned int flags = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache configuration);
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig configuration);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          size_t dynamic_shared);
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, const void* function,
                                               size_t dynamic_shared = 0, int limit = 0);

template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes) {
    return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
    return cudaMallocManaged(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
    return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
    return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
    return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}

template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* source, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    if (offset + bytes > sizeof(T)) return cudaMemcpy(nullptr, source, bytes, kind);  // records cudaErrorInvalidValue
    return cudaMemcpy(reinterpret_cast<char*>(&symbol) + offset, source, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* target, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    if (offset + bytes > sizeof(T)) return cudaMemcpy(target, nullptr, bytes, kind);
    return cudaMemcpy(target, reinterpret_cast<const char*>(&symbol) + offset, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* source, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
    if (offset + bytes > sizeof(T)) return cudaMemcpy(nullptr, source, bytes, kind);
    return cudaMemcpyAsync(reinterpret_cast<char*>(&symbol) + offset, source, bytes, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* target, const T& symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) {
    if (offset + bytes > sizeof(T)) return cudaMemcpy(target, nullptr, bytes, kind);
    return cudaMemcpyAsync(target, reinterpret_cast<const char*>(&symbol) + offset, bytes, kind, stream);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
    *pointer = const_cast<void*>(static_cast<const void*>(&symbol));
    return cudaPeekAtLastError();
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
    *bytes = sizeof(T);
    return cudaPeekAtLastError();
}

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*function)(Parameters...), cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute(reinterpret_cast<const void*>(function), attribute, value);
}
template <class... Parameters>
cudaError_t cudaFuncSetCacheConfig(void (*function)(Parameters...), cudaFuncCache configuration) {
    return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(function), configuration);
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*function)(Parameters...), int block_size,
                                                          size_t dynamic_shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void*>(function), block_size,
                                                         dynamic_shared);
}
template <class... Parameters>
cudaError_t cudaFuncSetSharedMemConfig(void (*function)(Parameters...), cudaSharedMemConfig configuration) {
    return cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(function), configuration);
}
template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*function)(Parameters...)) {
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(function));
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void (*function)(Parameters...),
                                                                   int block_size, size_t dynamic_shared,
                                                                   unsigned int) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared);
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, void (*function)(Parameters...),
                                               size_t dynamic_shared = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, reinterpret_cast<const void*>(function),
                                              dynamic_shared, limit);
}

// A kernel by its address alone, which the rewriter has made known where a source launches so.
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = nullptr);

namespace emulator {

using Invoke = void (*)(const void* function, void** arguments);
bool know_kernel(const void* function, Invoke invoke);
template <class... Parameters>
bool know_kernel(void (*function)(Parameters...)) {
    return know_kernel(reinterpret_cast<const void*>(function), [](const void* function, void** arguments) {
        [&]<size_t... i>(std::index_sequence<i...>) {
            reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(function))(
                *static_cast<std::remove_reference_t<Parameters>*>(arguments[i])...);
        }
        (std::index_sequence_for<Parameters...>{});
    });
}

// Whether the launch asks for nothing that the emulator lacks; else records what.
bool check_attributes(const cudaLaunchConfig_t& configuration);

}  // namespace emulator

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration, void (*function)(Parameters...),
                               Arguments&&... arguments) {
    if (::emulator::check_attributes(*configuration)) {
        std::tuple<Parameters...> bound{std::forward<Arguments>(arguments)...};
        std::apply(
            [&](auto&... each) {
                void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&each))..., nullptr};
                (void)cudaLaunchKernel(function, configuration->gridDim, configuration->blockDim, pointers,
                                       configuration->dynamicSmemBytes, configuration->stream);
            },
            bound);
    }
    return cudaPeekAtLastError();
}

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*function)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             size_t shared = 0, cudaStream_t stream = nullptr) {
    struct Bound {
        void (*function)(Parameters...);
        void** arguments;
    } bound{function, arguments};
    ::emulator::launch({"cudaLaunchKernel", grid, block, shared, reinterpret_cast<const void*>(function),
                        [](const void* opaque) {
                            const Bound& bound = *static_cast<const Bound*>(opaque);
                            [&]<size_t... i>(std::index_sequence<i...>) {
                                bound.function(
                                    *static_cast<std::remove_reference_t<Parameters>*>(bound.arguments[i])...);
                            }
                            (std::index_sequence_for<Parameters...>{});
                        },
                        &bound, nullptr, 0, 0, stream});
    return cudaPeekAtLastError();
}
