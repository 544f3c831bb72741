#include "callers_stream.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "device_memory.h"
#include "memory.h"
#include "solve_call.h"
#include "stream.h"

namespace emulator {

CallersStream::CallersStream(Entry entry, void* given) : stream_(static_cast<cudaStream_t>(given)) {
    const char* const text = std::getenv("EMULATOR_CALLERS_ORDER");
    if (!text || !*text || given || SolveCall::has_host_matrices()) return;
    const bool beside = std::string(text) == "beside";
    if (beside && entry == Entry::takes_none) return;
    is_beside_ = beside;
    if (entry == Entry::takes_stream) stream_ = callers_stream();
    trap_.emplace();
    order_.emplace(lane_of(stream_), is_beside_                     ? LaneOrder::by_turns
                                     : std::string(text) == "first" ? LaneOrder::first
                                                                    : LaneOrder::last);
}

void CallersStream::begin_second() {
    is_second_ = true;
    stream_ = second_callers_stream();
}

CallersStream::~CallersStream() {
    if (!order_) return;
    if (is_second_) is_second_ = false, stream_ = callers_stream();
    for (const Output& each : outputs_) enqueue_copy(each.matrix, each.stand_in, each.floats);
    wait_for_all_devices();
    for (void* const each : memory_) cudaFree(each);
    release_freed_in_order();
}

float* CallersStream::stand_in(const float* matrix, size_t floats) {
    // Aligned as the caller's is, to up to 256 bytes.
    const size_t offset = reinterpret_cast<uintptr_t>(matrix) % 256;
    void* memory = nullptr;
    cudaMalloc(&memory, offset + floats * sizeof(float));  // after a fault, which it tells, there is memory too
    if (!memory) return const_cast<float*>(matrix);
    memory_.push_back(memory);
    float* const found = reinterpret_cast<float*>(static_cast<char*>(memory) + offset);
    enqueue_copy(found, matrix, floats);
    return found;
}

const float* CallersStream::input(const float* matrix, size_t floats) {
    return order_ && matrix && floats > 0 ? stand_in(matrix, floats) : matrix;
}

float* CallersStream::output(float* matrix, size_t floats) {
    if (!order_ || !matrix || floats == 0) return matrix;
    float* const found = stand_in(matrix, floats);
    if (found != matrix && !is_second_) outputs_.push_back({matrix, found, floats});
    return found;
}

void CallersStream::enqueue_copy(float* target, const float* source, size_t floats) const {
    constexpr float kOfSecond = -3;
    defer(lane_of(stream_), [=, is_second = is_second_] {
        const DeviceAccess access;
        std::memcpy(target, source, floats * sizeof(float));
        for (size_t i = 0; is_second && i < floats; ++i) target[i] *= kOfSecond;
    });
}

size_t extent(int64_t rows, int64_t columns, int64_t leading, int64_t matrices, int64_t stride) {
    if (rows <= 0 || columns <= 0 || leading < columns || matrices <= 0) return 0;
    return static_cast<size_t>((matrices - 1) * stride + (rows - 1) * leading + columns);
}

}  // namespace emulator
