// Memory for the length of a call, in the order of its stream: nobody waits for it, and the kernels of the next call on
// the stream may have it when those of this one have ended.
//
// Where it comes from:
//   the caller   who gave as much or more with solve_gemm.
//   a capture    While the stream is captured into a graph, an allocation node of that graph and a node that frees it:
//                each graph has its own, so two of them may be replayed at a time.
//   a block      else one kept for the device and the stream, so that a call does not pay for it: to allocate and free
//                it in the order of the stream takes the host 1.3 us, and from a pool that gives memory back at each
//                synchronisation 70 to 140 us.
#pragma once

#include "gemm_call.h"
#include "kept_blocks.h"

namespace ladder {

class Workspace {
  public:
    // On failure data() is null, and the error is not left behind for the next call of the runtime to report.
    Workspace(size_t bytes, cudaStream_t stream, const CallerMemory& given = {}) : stream_(stream) {
        if (bytes == 0) return;
        if (given.bytes >= bytes && aligned(given.data)) {
            data_ = given.data;
        } else if (is_captured(stream) || !(block_ = kept_blocks().take(bytes, stream))) {
            if (cudaMallocAsync(&data_, bytes, stream) != cudaSuccess) data_ = nullptr, cudaGetLastError();
            ours_ = data_ != nullptr;
        } else {
            data_ = block_->data;
        }
    }
    ~Workspace() {
        if (block_) block_->give_back();
        if (ours_) cudaFreeAsync(data_, stream_);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    float* data() const { return static_cast<float*>(data_); }

  private:
    // As cudaMalloc aligns, on which kernels build.
    static bool aligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % 256 == 0; }

    // The legacy default stream cannot be captured, and to ask about it fails while another stream is.
    static bool is_captured(cudaStream_t stream) {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        if (stream == nullptr || stream == cudaStreamLegacy) return false;
        if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) cudaGetLastError();
        return status != cudaStreamCaptureStatusNone;
    }

    cudaStream_t stream_;
    KeptBlock* block_ = nullptr;
    bool ours_ = false;  // to be freed by us
    void* data_ = nullptr;
};

}  // namespace ladder
