// What the emulator says of a fault.
#pragma once

#include <cuda_runtime.h>

#include <string>

// The last error, which is forgotten.
inline std::string fault() {
    const std::string text = cudaGetErrorString(cudaGetLastError());
    cudaDeviceReset();
    return text;
}

inline bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}
