// What the CUDA side of the judge shares: checked calls, memory of its own, and the sizes of its launches.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

#include "device/device.h"

namespace judge {

using Count = unsigned long long;  // what atomicAdd and atomicMin take

constexpr int kThreads = 256;

// Blocks for a loop over this many elements (more than 0) in steps of the grid.
inline unsigned blocks_for(size_t elements) {
    return unsigned(std::min<size_t>((elements - 1) / kThreads + 1, 132 * 32));
}

inline std::string gpu_memory(size_t bytes) {
    return std::to_string((bytes >> 20) + 1) + " MiB of GPU memory";
}

template <class Error = DeviceLost>
void must(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    throw Error(std::string(call) + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")");
}
#define MUST(call) must(call, #call)

// cudaMalloc'ed memory of the judge's own.
template <class T>
class Buffer {
  public:
    explicit Buffer(size_t count) : count_(count) {
        if (count_ > 0 && cudaMalloc(&data_, count_ * sizeof(T)) != cudaSuccess) {
            cudaGetLastError();
            throw OutOfMemory(gpu_memory(count_ * sizeof(T)));
        }
    }
    explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
        MUST(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    T* data() const { return data_; }
    std::vector<T> to_host() const {
        std::vector<T> values(count_);
        MUST(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    size_t count_;
    T* data_ = nullptr;
};

}  // namespace judge
