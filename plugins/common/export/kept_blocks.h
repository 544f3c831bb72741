// Device memory that is kept from call to call, one block for each device and stream: a call takes the block of its
// stream, enqueues kernels that use it, and gives it back; those of the next call on the stream come after them.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>

#include "launch.h"

namespace ladder {

// While there is one of these, this thread may allocate although a graph is being captured: nothing of the graph
// depends on it.
class UnderCapture {
  public:
    UnderCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~UnderCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    UnderCapture(const UnderCapture&) = delete;
    UnderCapture& operator=(const UnderCapture&) = delete;

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

struct KeptBlock {
    void* data = nullptr;
    size_t bytes = 0;
    int device = -1;
    unsigned long long stream = 0;  // its number: a stream destroyed and created again may have the same handle
    uint64_t taken_at = 0;          // at which call of take(), counted
    std::atomic<bool> taken{false};

    void give_back() { taken.store(false, std::memory_order_release); }
};

class KeptBlocks {
  public:
    static constexpr int kMost = 16;    // blocks: of streams that no longer exist there are no more than these
    static constexpr int kIdle = 1000;  // calls of others, after which a block may be another stream's

    // A block of that many bytes or more, which nobody else has until it is given back; null if the stream's block is
    // taken, by another thread that is enqueuing on the same stream, or if there are too many streams, or no memory.
    KeptBlock* take(size_t bytes, cudaStream_t stream) {
        int device = 0;
        unsigned long long number = 0;
        if (cudaGetDevice(&device) != cudaSuccess || !number_of(stream, number)) return nullptr;
        const std::lock_guard<std::mutex> lock(mutex_);
        ++calls_;
        KeptBlock* const block = block_of(device, number);
        if (block == nullptr || block->taken.exchange(true, std::memory_order_acquire)) return nullptr;
        block->taken_at = calls_;
        if (block->bytes >= bytes || grow(*block, bytes)) return block;
        block->give_back();
        return nullptr;
    }

  private:
    static bool number_of(cudaStream_t stream, unsigned long long& number) {
        if (stream == nullptr) return true;
        return cudaStreamGetId(stream, &number) == cudaSuccess || (cudaGetLastError(), false);
    }

    // The stream's own or, if it has none, an empty one or the one that was taken longest ago.
    KeptBlock* block_of(int device, unsigned long long number) {
        KeptBlock* oldest = nullptr;
        for (KeptBlock& each : blocks_) {
            if (each.device == device && each.stream == number) return &each;
            if (each.taken.load(std::memory_order_acquire)) continue;
            if (each.data && each.device != device) continue;  // another device would have to be made current
            if (!oldest || each.taken_at < oldest->taken_at) oldest = &each;
        }
        if (!oldest || (oldest->data && calls_ - oldest->taken_at < kIdle)) return nullptr;
        release(*oldest);
        oldest->device = device, oldest->stream = number;
        return oldest;
    }

    // By cudaMalloc and cudaFree, not in the order of a stream: the stream that used a block may no longer exist, and
    // cudaFree waits for all work of the device that was enqueued before. Both are forbidden to a thread while another
    // one captures a graph, unless it says that it knows what it does.
    bool grow(KeptBlock& block, size_t bytes) {
        constexpr size_t kLeast = size_t{8} << 20;
        release(block);
        const size_t wanted = std::max(kLeast, std::bit_ceil(bytes));
        const UnderCapture allowed;
        if (cudaMalloc(&block.data, wanted) == cudaSuccess) return block.bytes = wanted, true;
        cudaGetLastError();
        block.data = nullptr;
        return false;
    }

    static void release(KeptBlock& block) {
        if (block.data == nullptr) return;
        const UnderCapture allowed;
        cudaFree(block.data);
        block.data = nullptr, block.bytes = 0;
    }

    std::mutex mutex_;
    KeptBlock blocks_[kMost];
    uint64_t calls_ = 0;
};

// Never destroyed: at exit the CUDA runtime may be gone before us.
inline KeptBlocks& kept_blocks() {
    static KeptBlocks* const only = new KeptBlocks;
    return *only;
}

}  // namespace ladder
