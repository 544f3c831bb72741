// Copies and fills: at once or, if work is deferred, in the order of their streams.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "../include/cuda_runtime_api.h"
#include "capture.h"
#include "deferred.h"
#include "device_memory.h"
#include "devices.h"
#include "error.h"
#include "injected.h"
#include "memory.h"
#include "solve_call.h"
#include "stream.h"

using emulator::record;
using emulator::success_or_fault;

namespace {

// Rows of `width` bytes. A copy without rows is one row.
struct Copy {
    char* target;
    size_t target_pitch;
    const char* source;
    size_t source_pitch, width, height;

    bool is_empty() const { return width == 0 || height == 0; }
    size_t bytes() const { return width * height; }
};

Copy plain(void* target, const void* source, size_t bytes) {
    return {static_cast<char*>(target), bytes, static_cast<const char*>(source), bytes, bytes, 1};
}

constexpr char kFromStack[] = "a copy from the caller's stack, which a graph reads at each replay";

// Whether these can be accessed, or there is a fault.
bool is_usable(std::initializer_list<const void*> all) {
    if (std::none_of(all.begin(), all.end(), emulator::is_unusable_memory)) return true;
    emulator::record_fault(cudaErrorIllegalAddress,
                           "a copy or a fill of memory that is freed, or not allocated yet, by the streams' order");
    return false;
}

void execute(const Copy& copy) {
    if (!is_usable({copy.target, copy.source})) return;
    const emulator::DeviceAccess access;
    for (size_t row = 0; row < copy.height; ++row) {
        std::memmove(copy.target + row * copy.target_pitch, copy.source + row * copy.source_pitch, copy.width);
    }
}

// Where the kind of a copy says device, and host memory is, or the other way round.
bool is_misdirected(const Copy& copy, cudaMemcpyKind kind) {
    if (!emulator::SolveCall::knows_all_memory() || kind == cudaMemcpyDefault) return false;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const auto mismatches = [](const void* pointer, bool device) {
        return device ? emulator::is_host_memory(pointer) : emulator::is_closed_memory(pointer);
    };
    return mismatches(copy.target, to_device) || mismatches(copy.source, from_device);
}

cudaError_t check(const Copy& copy, cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return record(cudaErrorInvalidValue, "unknown cudaMemcpyKind");
    if (copy.is_empty()) return success_or_fault();
    if (!copy.target || !copy.source)
        return record(cudaErrorInvalidValue, "cudaMemcpy with a null pointer or past a symbol's end");
    if (is_misdirected(copy, kind))
        return record(cudaErrorInvalidValue, "cudaMemcpy in a direction that its kind does not say");
    return success_or_fault();
}

// As a GPU does: what comes from pageable memory is read before the call returns, and into such it waits.
void execute_later(Copy copy, cudaStream_t stream) {
    std::shared_ptr<std::vector<char>> staged;
    if (emulator::is_ordinary_memory(copy.source)) {
        staged = std::make_shared<std::vector<char>>(copy.bytes());
        const Copy into{staged->data(), copy.width, copy.source, copy.source_pitch, copy.width, copy.height};
        execute(into);
        copy.source = staged->data(), copy.source_pitch = copy.width;
    }
    const auto operation = emulator::defer(emulator::lane_of(stream), [copy, staged] { execute(copy); });
    if (emulator::is_ordinary_memory(copy.target)) emulator::wait_for(operation);
}

cudaError_t enqueue(const Copy& copy, cudaMemcpyKind kind, cudaStream_t stream) {
    emulator::work_begins_on(stream);
    if (const cudaError_t error = check(copy, kind); error != cudaSuccess) return error;
    if (const cudaError_t error = emulator::refuse_legacy_in_capture("a copy on the default stream", stream);
        error != cudaSuccess) {
        return error;
    }
    if (const cudaError_t error = emulator::refuse_if_captured(
            kFromStack, emulator::is_captured(stream) && emulator::is_on_stack(copy.source));
        error != cudaSuccess) {
        return error;
    }
    if (emulator::is_injected("EMULATOR_COPY_FAIL")) return record(cudaErrorUnknown, "as EMULATOR_COPY_FAIL says");
    if (!copy.is_empty()) emulator::is_deferred() ? execute_later(copy, stream) : execute(copy);
    return success_or_fault();
}

cudaError_t copy_now(const Copy& copy, cudaMemcpyKind kind) {
    if (const cudaError_t error = check(copy, kind); error != cudaSuccess) return error;
    if (const cudaError_t error = emulator::refuse_in_capture("cudaMemcpy"); error != cudaSuccess) return error;
    emulator::wait_for(emulator::is_deferred() ? emulator::defer(emulator::lane_of(nullptr), nullptr) : nullptr);
    if (kind != cudaMemcpyDeviceToDevice) emulator::host_waited_for_default_stream();
    if (!copy.is_empty()) execute(copy);
    return success_or_fault();
}

struct Fill {
    char* target;
    size_t pitch;
    int value;
    size_t width, height;
};

void execute(const Fill& fill) {
    if (!is_usable({fill.target})) return;
    const emulator::DeviceAccess access;
    for (size_t row = 0; row < fill.height; ++row) {
        std::memset(fill.target + row * fill.pitch, fill.value, fill.width);
    }
}

cudaError_t enqueue(const Fill& fill, cudaStream_t stream) {
    const bool is_empty = fill.width == 0 || fill.height == 0;
    if (!is_empty && !fill.target) return record(cudaErrorInvalidValue, "cudaMemset of a null pointer");
    if (!is_empty && emulator::SolveCall::knows_all_memory() && emulator::is_host_memory(fill.target))
        return record(cudaErrorInvalidValue, "cudaMemset of host memory");
    if (is_empty) return success_or_fault();
    if (const cudaError_t error = emulator::refuse_legacy_in_capture("cudaMemset on the default stream", stream);
        error != cudaSuccess) {
        return error;
    }
    if (emulator::is_deferred()) {
        emulator::defer(emulator::lane_of(stream), [fill] { execute(fill); });
    } else {
        execute(fill);
    }
    return success_or_fault();
}

cudaError_t check_owners(const void* target, int target_device, const void* source, int source_device, size_t bytes) {
    if (!emulator::is_device(target_device) || !emulator::is_device(source_device))
        return record(cudaErrorInvalidDevice);
    const auto lies_on = [](const void* pointer, int device) {
        const emulator::Memory memory = emulator::memory_at(pointer);
        return memory.type == cudaMemoryTypeDevice && memory.device == device;
    };
    if (bytes > 0 && (!lies_on(target, target_device) || !lies_on(source, source_device)))
        return record(cudaErrorInvalidValue, "cudaMemcpyPeer with memory that is not of the device named");
    return success_or_fault();
}

}  // namespace

cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
    return copy_now(plain(target, source, bytes), kind);
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return enqueue(plain(target, source, bytes), kind, stream);
}

cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
    if (width > target_pitch || width > source_pitch) return record(cudaErrorInvalidPitchValue);
    return copy_now(
        {static_cast<char*>(target), target_pitch, static_cast<const char*>(source), source_pitch, width, height},
        kind);
}

cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    if (width > target_pitch || width > source_pitch) return record(cudaErrorInvalidPitchValue);
    return enqueue(
        {static_cast<char*>(target), target_pitch, static_cast<const char*>(source), source_pitch, width, height}, kind,
        stream);
}

cudaError_t cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes) {
    const cudaError_t error = check_owners(target, target_device, source, source_device, bytes);
    return error != cudaSuccess ? error : copy_now(plain(target, source, bytes), cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                                cudaStream_t stream) {
    const cudaError_t error = check_owners(target, target_device, source, source_device, bytes);
    return error != cudaSuccess ? error : enqueue(plain(target, source, bytes), cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemset(void* target, int value, size_t bytes) {
    return enqueue({static_cast<char*>(target), bytes, value, bytes, 1}, nullptr);
}

cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
    emulator::work_begins_on(stream);
    return enqueue({static_cast<char*>(target), bytes, value, bytes, 1}, stream);
}

cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
    if (width > pitch) return record(cudaErrorInvalidPitchValue);
    return enqueue({static_cast<char*>(target), pitch, value, width, height}, nullptr);
}

cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    if (width > pitch) return record(cudaErrorInvalidPitchValue);
    emulator::work_begins_on(stream);
    return enqueue({static_cast<char*>(target), pitch, value, width, height}, stream);
}
