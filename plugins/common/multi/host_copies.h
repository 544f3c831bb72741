// Copies of parts of matrices between the host and GPUs, beside what the GPUs compute.
//
// From and to pinned memory a copy is enqueued as it is. Pageable memory reaches 8 GB/s through the driver, and to pin
// it for one call costs more than the copy (6.7 to 14 GB/s): it goes in pieces through small buffers that are pinned
// once. Each of several threads has two of its own, fills one while the GPU copies the other, and enqueues the copies
// itself, of pieces for all GPUs by turns. Into four H100 of a host of 64 cores 16 threads bring 84 GB/s so, 32 bring
// 123, 48 and 64 fewer again: what goes through 1 MiB stays in the L3 cache. With 4 MiB it was 76 to 93, with 256 KiB,
// where the calls of the runtime take the time, 60, as with stores that go past the caches. Threads that fill 16 MiB
// together, and wait for each other then, brought 47.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu.h"
#include "host_threads.h"

namespace ladder {

// Whether the driver would have to stage it: cudaHostAlloc or cudaHostRegister did not make it, at its first or its
// last byte.
inline bool is_pageable(const float* matrix, size_t elements) {
    for (const float* at : {matrix, matrix + elements - 1}) {
        cudaPointerAttributes attributes{};
        if (cudaPointerGetAttributes(&attributes, at) != cudaSuccess) return cudaGetLastError(), true;
        if (attributes.type == cudaMemoryTypeUnregistered) return true;
    }
    return false;
}

// A block of a matrix, whose leading dimension is `ld` elements.
template <class T>
struct Part {
    T* data;
    int64_t ld;
    int rows, cols;

    Part block(int row, int col, int height, int width) const { return {data + row * ld + col, ld, height, width}; }
};

inline bool is_pageable(const Part<const float>& part) {
    if (part.rows == 0 || part.cols == 0) return false;
    return is_pageable(part.data, size_t(part.rows - 1) * part.ld + part.cols);
}

// Enqueues a copy where the host's memory is pinned.
inline void copy_part(Part<float> to, Part<const float> from, cudaMemcpyKind kind, cudaStream_t stream) {
    constexpr int64_t kMostPitch = 0x7fffffff / sizeof(float);
    const size_t width = sizeof(float) * to.cols, to_pitch = sizeof(float) * to.ld,
                 from_pitch = sizeof(float) * from.ld;
    if (to.ld <= kMostPitch && from.ld <= kMostPitch) {
        must(cudaMemcpy2DAsync(to.data, to_pitch, from.data, from_pitch, width, to.rows, kind, stream),
             "cudaMemcpy2DAsync");
        return;
    }
    for (int row = 0; row < to.rows; ++row) {
        must(cudaMemcpyAsync(to.data + row * to.ld, from.data + row * from.ld, width, kind, stream), "cudaMemcpyAsync");
    }
}

inline void copy_on_host(const Part<float>& to, const Part<const float>& from) {
    for (int64_t row = 0; row < to.rows; ++row) {
        std::memcpy(to.data + row * to.ld, from.data + row * from.ld, sizeof(float) * to.cols);
    }
}

// Through which one thread copies a piece at a time, from and to any GPU.
class PinnedBuffer {
  public:
    // Of a buffer that is made from now on; a test asks for small ones, so that small matrices make many pieces.
    static size_t& elements() {
        static size_t each = size_t{1} << 18;  // 1 MiB
        return each;
    }

    PinnedBuffer() = default;
    ~PinnedBuffer() {
        if (data_) cudaFreeHost(data_);
        for (const auto& [gpu, event] : copied_) {
            if (event) cudaEventDestroy(event);
        }
    }
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;

    // Makes what is needed for these GPUs and not there yet. An event is of one GPU.
    void prepare(const std::vector<const Gpu*>& gpus) {
        for (const Gpu* gpu : gpus) {
            cudaEvent_t& event = copied_[gpu->number()];
            if (data_ && event) continue;
            gpu->make_current();
            if (!data_) must(cudaHostAlloc(&data_, sizeof(float) * elements(), cudaHostAllocPortable), "cudaHostAlloc");
            if (!event) must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
        }
    }

    // As much of it as a piece of so many rows and columns fills.
    Part<float> part(int rows, int cols) const { return {data_, cols, rows, cols}; }

    // A copy from or to it has been enqueued. When that has ended it is to be emptied into the target, if there is one.
    void send(Gpu& gpu, cudaStream_t stream, const Part<float>& target = {}) {
        const cudaEvent_t event = copied_.at(gpu.number());
        record(gpu, event, stream);
        in_flight_ = event, target_ = target;
    }
    bool is_to_be_emptied() const { return target_.data != nullptr; }

    // Until it is vacant.
    void land(const std::function<void(cudaEvent_t)>& wait) {
        if (!in_flight_) return;
        wait(std::exchange(in_flight_, nullptr));
        const Part<float> to = std::exchange(target_, {});
        if (to.data) copy_on_host(to, {data_, to.cols, to.rows, to.cols});
    }

  private:
    float* data_ = nullptr;
    std::map<int, cudaEvent_t> copied_;  // by the number of the GPU
    cudaEvent_t in_flight_ = nullptr;
    Part<float> target_{};
};

// Two for each thread, kept from call to call.
class PinnedBuffers {
  public:
    using OfThread = std::array<PinnedBuffer, 2>;

    // For so many threads at least.
    void reserve(size_t threads) {
        while (all_.size() < threads) all_.push_back(std::make_unique<OfThread>());
    }
    OfThread& of(size_t thread) { return *all_[thread]; }
    void clear() { all_.clear(); }

  private:
    std::vector<std::unique_ptr<OfThread>> all_;
};

// The copies of a call. wait(event), which any thread calls, returns when the event has come, or throws. Another GPU
// than before may be the current one after each of these.
class HostCopies {
  public:
    using Wait = std::function<void(cudaEvent_t)>;

    HostCopies(PinnedBuffers& buffers, int threads, Wait wait)
        : buffers_(buffers), threads_(threads), wait_(std::move(wait)) {}

    // From pinned memory it is enqueued, and read until the stream has come so far. Pageable memory is read by stage().
    void in(Gpu& gpu, const Part<float>& to, const Part<const float>& from, bool pageable, cudaStream_t stream) {
        if (pageable) return note(to_stage_, {&gpu, to, from, stream, nullptr});
        gpu.make_current();
        copy_part(to, from, cudaMemcpyHostToDevice, stream);
    }

    // Enqueues what in() has left, and does not read the host's memory any more when it returns.
    void stage() {
        run(std::exchange(to_stage_, {}), [this](const Copy& piece, PinnedBuffer& buffer, PinnedBuffer&) {
            const Part<float> pinned = buffer.part(piece.to.rows, piece.to.cols);
            copy_on_host(pinned, piece.from);
            copy_part(piece.to, constant(pinned), cudaMemcpyHostToDevice, piece.stream);
            buffer.send(*piece.gpu, piece.stream);
        });
    }

    // After the event. Into pinned memory it is enqueued; pageable memory is written by drain().
    void out(Gpu& gpu, const Part<float>& to, const Part<const float>& from, bool pageable, cudaStream_t stream,
             cudaEvent_t after) {
        if (pageable) return note(to_drain_, {&gpu, to, from, stream, after});
        gpu.make_current();
        order(stream, after);
        copy_part(to, from, cudaMemcpyDeviceToHost, stream);
    }

    // What out() has left is in the host's memory when this returns. A thread empties a buffer while the GPU fills its
    // other one.
    void drain() {
        run(std::exchange(to_drain_, {}), [this](const Copy& piece, PinnedBuffer& buffer, PinnedBuffer& other) {
            const Part<float> pinned = buffer.part(piece.to.rows, piece.to.cols);
            order(piece.stream, piece.after);
            copy_part(pinned, piece.from, cudaMemcpyDeviceToHost, piece.stream);
            buffer.send(*piece.gpu, piece.stream, piece.to);
            other.land(wait_);
        });
    }

  private:
    // Between pageable memory and a GPU.
    struct Copy {
        Gpu* gpu;
        Part<float> to;
        Part<const float> from;
        cudaStream_t stream;
        cudaEvent_t after;

        size_t elements() const { return size_t(to.rows) * to.cols; }
    };

    static Part<const float> constant(const Part<float>& part) { return {part.data, part.ld, part.rows, part.cols}; }

    static void note(std::vector<Copy>& copies, const Copy& copy) {
        if (copy.elements() > 0) copies.push_back(copy);
    }

    // Of the pieces of `most` or less, as equal as can be, that a length is cut into.
    static int64_t piece_length(int64_t length, int64_t most) {
        const int64_t count = (length + most - 1) / most;
        return (length + count - 1) / count;
    }

    template <class Body>
    static void for_each_piece(const Copy& copy, int64_t most, Body body) {
        const int rows = copy.to.rows, cols = copy.to.cols;
        const int64_t width = piece_length(cols, most), height = piece_length(rows, std::max<int64_t>(most / width, 1));
        for (int64_t row = 0; row < rows; row += height) {
            for (int64_t col = 0; col < cols; col += width) {
                const int below = int(std::min(height, rows - row)), right = int(std::min(width, cols - col));
                body(Copy{copy.gpu, copy.to.block(int(row), int(col), below, right),
                          copy.from.block(int(row), int(col), below, right), copy.stream, copy.after});
            }
        }
    }

    // In the order of the copies for each GPU, and the GPUs by turns. Small copies are cut into two pieces for each
    // thread.
    std::vector<Copy> pieces_of(const std::vector<Copy>& copies, std::vector<const Gpu*>& gpus) const {
        constexpr size_t kLeast = 16384;  // elements: less is not worth waking a thread
        size_t elements = 0, count = 0;
        for (const Copy& each : copies) elements += each.elements();
        const size_t most = std::min(PinnedBuffer::elements(), std::max(kLeast, elements / (2 * size_t(threads_))));
        std::map<int, std::vector<Copy>> of_gpus;
        for (const Copy& copy : copies) {
            std::vector<Copy>& pieces = of_gpus[copy.gpu->number()];
            if (pieces.empty()) gpus.push_back(copy.gpu);
            for_each_piece(copy, int64_t(most), [&](const Copy& piece) { pieces.push_back(piece), ++count; });
        }
        std::vector<Copy> all;
        for (size_t turn = 0; all.size() < count; ++turn) {
            for (const auto& [gpu, pieces] : of_gpus) {
                if (turn < pieces.size()) all.push_back(pieces[turn]);
            }
        }
        return all;
    }

    // Calls body(piece, a vacant buffer, the thread's other one) for each piece, by the host's threads, and throws what
    // one of them throws first; the others end then.
    template <class Body>
    void run(const std::vector<Copy>& copies, Body body) {
        if (copies.empty()) return;
        std::vector<const Gpu*> gpus;
        const std::vector<Copy> pieces = pieces_of(copies, gpus);
        const size_t threads = std::min(pieces.size(), size_t(threads_));
        buffers_.reserve(threads);
        std::atomic<size_t> next{0};
        std::atomic<bool> failed{false};
        std::exception_ptr failure;
        std::mutex failing;
        const auto work = [&](PinnedBuffers::OfThread& own) {
            for (PinnedBuffer& each : own) each.prepare(gpus);  // with or without pieces: equal calls keep the same
            int turn = 0;
            for (size_t i = 0; !failed && (i = next++) < pieces.size(); turn = 1 - turn) {
                own[turn].land(wait_);
                pieces[i].gpu->make_current();
                body(pieces[i], own[turn], own[1 - turn]);
            }
            for (PinnedBuffer& each : own) {
                if (!failed && each.is_to_be_emptied()) each.land(wait_);
            }
        };
        HostThreads::all().for_each(threads, int(threads), [&](size_t thread) {
            try {
                work(buffers_.of(thread));
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!failed.exchange(true)) failure = std::current_exception();
            }
        });
        if (failure) std::rethrow_exception(failure);
    }

    PinnedBuffers& buffers_;
    const int threads_;
    const Wait wait_;
    std::vector<Copy> to_stage_, to_drain_;
};

}  // namespace ladder
