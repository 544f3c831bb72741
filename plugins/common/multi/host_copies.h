// Copies of parts of matrices between the host and GPUs, beside what the GPUs compute.
//
// From and to pinned memory a copy is enqueued as it is. Pageable memory reaches 8 GB/s through the driver, and to pin
// it for one call costs more than the copy (6.7 to 14 GB/s): it goes through small buffers that are pinned once, which
// several threads fill and empty while the GPU copies the ones before.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
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

// By the host's threads. In pieces of rows or of columns, whichever there are more of.
inline void copy_by_threads(Part<float> to, Part<const float> from, int threads) {
    constexpr size_t kLeastPiece = 16384;  // elements: less is not worth waking a thread
    const size_t elements = size_t(to.rows) * to.cols;
    const bool by_rows = to.rows >= to.cols;
    const int64_t count = by_rows ? to.rows : to.cols;
    const int64_t pieces = std::clamp<int64_t>(elements / kLeastPiece, 1, std::min<int64_t>(threads, count));
    HostThreads::all().for_each(pieces, threads, [&](size_t piece) {
        const int64_t begin = count * piece / pieces, end = count * (piece + 1) / pieces;
        const int64_t rows_begin = by_rows ? begin : 0, rows_end = by_rows ? end : to.rows;
        const int64_t col = by_rows ? 0 : begin, cols = by_rows ? to.cols : end - begin;
        for (int64_t row = rows_begin; row < rows_end; ++row) {
            std::memcpy(to.data + row * to.ld + col, from.data + row * from.ld + col, sizeof(float) * cols);
        }
    });
}

// The pinned buffers of a GPU for one direction, used one after the other.
class PinnedRing {
  public:
    static constexpr size_t kMost = size_t{4} << 20;  // elements: 16 MiB, 0.3 ms of PCIe
    static constexpr int kBuffers = 4;

    struct Buffer {
        float* data = nullptr;
        cudaEvent_t copied = nullptr;
        bool in_flight = false;
        Part<float> target{};  // where it is to be emptied into, if its data is not null
    };

    // Of a buffer that is made from now on; a test asks for small ones, so that small matrices go round.
    static size_t& elements() {
        static size_t each = kMost;
        return each;
    }

    PinnedRing() = default;
    ~PinnedRing() {
        for (Buffer& each : buffers_) {
            if (each.data) cudaFreeHost(each.data);
            if (each.copied) cudaEventDestroy(each.copied);
        }
    }
    PinnedRing(const PinnedRing&) = delete;
    PinnedRing& operator=(const PinnedRing&) = delete;

    // The one that was used longest ago, which may still be in flight.
    Buffer& next(const Gpu& gpu) {
        Buffer& buffer = buffers_[std::exchange(next_, (next_ + 1) % kBuffers)];
        if (buffer.data) return buffer;
        gpu.make_current();
        must(cudaHostAlloc(&buffer.data, sizeof(float) * elements(), cudaHostAllocPortable), "cudaHostAlloc");
        must(cudaEventCreateWithFlags(&buffer.copied, cudaEventDisableTiming), "cudaEventCreateWithFlags");
        return buffer;
    }

    template <class Body>
    void for_each_in_order(Body body) {
        for (int i = 0; i < kBuffers; ++i) body(buffers_[(next_ + i) % kBuffers]);
    }

  private:
    Buffer buffers_[kBuffers];
    int next_ = 0;
};

// The copies of a call. wait(event) returns when the event has come, or throws.
class HostCopies {
  public:
    using Wait = std::function<void(cudaEvent_t)>;

    // The rings are kept from call to call.
    struct Rings {
        PinnedRing in, out;
    };

    HostCopies(int threads, Wait wait) : threads_(threads), wait_(std::move(wait)) {}

    // The host's part is read until the stream has come so far, or not any more when this returns if it is pageable.
    void in(Gpu& gpu, Rings& rings, Part<float> to, Part<const float> from, bool pageable, cudaStream_t stream) {
        gpu.make_current();
        if (!pageable) return copy_part(to, from, cudaMemcpyHostToDevice, stream);
        for_each_chunk(from, [&](int row, int col, int height, int width) {
            PinnedRing::Buffer& buffer = vacant(rings.in, gpu);
            const Part<float> staged{buffer.data, width, height, width};
            copy_by_threads(staged, from.block(row, col, height, width), threads_);
            copy_part(to.block(row, col, height, width), constant(staged), cudaMemcpyHostToDevice, stream);
            send(buffer, gpu, stream);
        });
    }

    // The host's part is written when finish() has returned.
    void out(Gpu& gpu, Rings& rings, Part<float> to, Part<const float> from, bool pageable, cudaStream_t stream) {
        gpu.make_current();
        if (!pageable) return copy_part(to, from, cudaMemcpyDeviceToHost, stream);
        for_each_chunk(from, [&](int row, int col, int height, int width) {
            PinnedRing::Buffer& buffer = vacant(rings.out, gpu);
            copy_part({buffer.data, width, height, width}, from.block(row, col, height, width), cudaMemcpyDeviceToHost,
                      stream);
            buffer.target = to.block(row, col, height, width);
            send(buffer, gpu, stream);
        });
    }

    void finish(Rings& rings) {
        rings.out.for_each_in_order([&](PinnedRing::Buffer& buffer) { land(buffer); });
    }

  private:
    static Part<const float> constant(Part<float> part) { return {part.data, part.ld, part.rows, part.cols}; }

    template <class Body>
    static void for_each_chunk(const Part<const float>& part, Body body) {
        const int64_t most = PinnedRing::elements();
        const int width = static_cast<int>(std::min<int64_t>(part.cols, most));
        const int height = static_cast<int>(std::clamp<int64_t>(most / width, 1, part.rows));
        for (int64_t row = 0; row < part.rows; row += height) {
            for (int64_t col = 0; col < part.cols; col += width) {
                body(int(row), int(col), int(std::min<int64_t>(height, part.rows - row)),
                     int(std::min<int64_t>(width, part.cols - col)));
            }
        }
    }

    static void send(PinnedRing::Buffer& buffer, Gpu& gpu, cudaStream_t stream) {
        record(gpu, buffer.copied, stream);
        buffer.in_flight = true;
    }

    PinnedRing::Buffer& vacant(PinnedRing& ring, const Gpu& gpu) {
        PinnedRing::Buffer& buffer = ring.next(gpu);
        land(buffer);
        return buffer;
    }

    void land(PinnedRing::Buffer& buffer) {
        if (!std::exchange(buffer.in_flight, false)) return;
        wait_(buffer.copied);
        const Part<float> to = std::exchange(buffer.target, {});
        if (to.data) copy_by_threads(to, {buffer.data, to.cols, to.rows, to.cols}, threads_);
    }

    int threads_;
    Wait wait_;
};

}  // namespace ladder
