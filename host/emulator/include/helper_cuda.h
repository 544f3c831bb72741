// What NVIDIA's samples include: checkCudaErrors and the choice of a device.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "cuda_runtime.h"
#include "helper_functions.h"

template <class Status>
void check(Status result, const char* function, const char* file, int line) {
    if (!result) return;
    std::fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\"\n", file, line, static_cast<int>(result), function);
    std::exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline void __getLastCudaError(const char* message, const char* file, int line) {
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s(%d): %s: %s\n", file, line, message, cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)

inline const char* _cudaGetErrorEnum(cudaError_t error) {
    return cudaGetErrorName(error);
}
inline int _ConvertSMVer2Cores(int, int) {
    return 128;
}
inline int gpuGetMaxGflopsDeviceId() {
    return 0;
}
inline int gpuDeviceInit(int) {
    return 0;
}
inline int findCudaDevice(int, const char**) {
    return 0;
}
inline bool checkCudaCapabilities(int, int) {
    return true;
}
