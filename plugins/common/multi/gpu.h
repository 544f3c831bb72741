// One GPU of a call: its streams, its events, and its memory, from which a call takes what it needs. They are kept from
// call to call, since to make them takes milliseconds. Every call of the runtime that fails throws a Failure.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "failure.h"

namespace ladder {

constexpr size_t kAlignment = 256;  // bytes, of what is taken from a GPU's memory

inline size_t aligned_bytes(size_t elements) {
    return (elements * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
}

// Makes a GPU current, and at its end again the one that was.
class CurrentGpu {
  public:
    CurrentGpu() { cudaGetDevice(&before_); }
    ~CurrentGpu() { cudaSetDevice(before_); }
    CurrentGpu(const CurrentGpu&) = delete;
    CurrentGpu& operator=(const CurrentGpu&) = delete;

  private:
    int before_ = 0;
};

// Where a GPU's memory comes from: by default cudaMalloc. allocate throws a Failure.
struct MemorySource {
    std::function<void*(size_t)> allocate = [](size_t bytes) {
        void* memory = nullptr;
        char what[64];
        std::snprintf(what, sizeof(what), "cudaMalloc of %zu bytes", bytes);
        must(cudaMalloc(&memory, bytes), what);
        return memory;
    };
    std::function<void(void*)> free = [](void* memory) { cudaFree(memory); };
};

class Gpu {
  public:
    explicit Gpu(int number, MemorySource source = {}) : number_(number), source_(std::move(source)) {}
    ~Gpu() { release(); }
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    int number() const { return number_; }
    void make_current() const { must(cudaSetDevice(number_), "cudaSetDevice"); }

    // Bytes that a call may take: what is free besides what it has, less a twentieth for the kernels and libraries, and
    // no more than `most` if that is not 0.
    size_t memory(size_t most) const {
        make_current();
        size_t free = 0, total = 0;
        must(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        free += bytes_;
        free -= free / 20;
        return most == 0 || free < most ? free : most;
    }

    // Whether what is kept is enough, and not so much more that other programs should rather have it.
    bool suits(size_t bytes) const {
        constexpr size_t kLittle = size_t{64} << 20;
        return bytes <= bytes_ && (bytes_ <= kLittle || bytes_ / 8 <= bytes);
    }

    // So many bytes for this call, of which take() gives parts.
    void reserve(size_t bytes) {
        make_current();
        taken_ = 0;
        if (suits(bytes)) return;
        free_memory();
        memory_ = static_cast<char*>(source_.allocate(bytes));
        bytes_ = bytes;
    }
    void* memory_begin() const { return memory_; }
    size_t memory_bytes() const { return bytes_; }
    float* take(size_t elements) {
        const size_t bytes = aligned_bytes(elements);
        if (bytes > bytes_ - taken_) give_up("GPU %d: a plan takes more memory than it has reserved", number_);
        return reinterpret_cast<float*>(memory_ + std::exchange(taken_, taken_ + bytes));
    }

    // Stream i of this GPU; none of them waits for the default stream.
    cudaStream_t stream(size_t i) {
        while (streams_.size() <= i) {
            make_current();
            cudaStream_t made = nullptr;
            must(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
            streams_.push_back(made);
        }
        return streams_[i];
    }

    // Event i of this GPU.
    cudaEvent_t event(size_t i) {
        while (events_.size() <= i) {
            make_current();
            cudaEvent_t made = nullptr;
            must(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
            events_.push_back(made);
        }
        return events_[i];
    }

    // Whether all it does ends within so many seconds.
    bool becomes_idle(double seconds) const {
        cudaSetDevice(number_);
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        for (cudaStream_t each : streams_) {
            while (cudaStreamQuery(each) == cudaErrorNotReady) {
                if (std::chrono::steady_clock::now() > end) return false;
                std::this_thread::yield();
            }
        }
        cudaGetLastError();
        return true;
    }

    // Waits for all it does, frees all it has, and says nothing of errors: the first one has been told.
    void release() {
        cudaSetDevice(number_);
        cudaDeviceSynchronize();
        for (cudaStream_t each : streams_) cudaStreamDestroy(each);
        for (cudaEvent_t each : events_) cudaEventDestroy(each);
        streams_.clear(), events_.clear();
        free_memory();
        cudaGetLastError();
    }

  private:
    void free_memory() {
        if (memory_) source_.free(memory_);
        memory_ = nullptr, bytes_ = taken_ = 0;
    }

    int number_;
    MemorySource source_;
    char* memory_ = nullptr;
    size_t bytes_ = 0, taken_ = 0;
    std::vector<cudaStream_t> streams_;
    std::vector<cudaEvent_t> events_;
};

// The event after all that a stream of the GPU holds now.
inline void record(Gpu& gpu, cudaEvent_t event, cudaStream_t stream) {
    gpu.make_current();
    must(cudaEventRecord(event, stream), "cudaEventRecord");
}

// What comes on a stream, of whichever GPU, begins after the event.
inline void order(cudaStream_t stream, cudaEvent_t after) {
    must(cudaStreamWaitEvent(stream, after, 0), "cudaStreamWaitEvent");
}

// Calls body(kept) with what is kept from call to call, which is made by the first one. If it fails all of it goes,
// and the next call begins with a new one. It is not destroyed at exit, when the CUDA runtime may be gone before us.
template <class Kept, class Body>
void with_kept(Body body) {
    static std::unique_ptr<Kept>& kept = *new std::unique_ptr<Kept>;
    if (!kept) kept = std::make_unique<Kept>();
    try {
        body(*kept);
    } catch (...) {
        kept.reset();
        throw;
    }
}

}  // namespace ladder
