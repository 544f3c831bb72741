// Memory for the length of a call, in the order of a stream: nobody waits for it, and it is free for others only after
// the kernels launched before its end.
#pragma once

#include "launch.h"

namespace ladder {

class Workspace {
  public:
    // On failure data() is null, and the error is not left behind for the next call of the runtime to report.
    Workspace(size_t bytes, cudaStream_t stream) : stream_(stream) {
        if (bytes == 0) return;
        keep_in_pool(bytes);
        if (cudaMallocAsync(&data_, bytes, stream) != cudaSuccess) data_ = nullptr, cudaGetLastError();
    }
    ~Workspace() {
        if (data_) cudaFreeAsync(data_, stream_);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    float* data() const { return data_; }

  private:
    // What is freed goes back to the system at the next synchronisation, and to get it again takes longer than a small
    // multiplication, unless the pool may keep as much: this and what is in use already.
    static void keep_in_pool([[maybe_unused]] uint64_t bytes) {
#ifndef SOLVE_EMULATOR
        int device = 0;
        cudaMemPool_t pool;
        uint64_t kept = 0, used = 0;
        if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess) return;
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
        bytes += used;
        if (kept < bytes) cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes);
#endif
    }

    cudaStream_t stream_;
    float* data_ = nullptr;
};

}  // namespace ladder
