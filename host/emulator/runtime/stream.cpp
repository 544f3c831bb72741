// Streams and events. Every launch has finished when it returns, so a stream holds nothing and orders nothing.
#include <atomic>
#include <chrono>
#include <new>
#include <utility>

#include "../include/cuda_runtime_api.h"
#include "error.h"

using emulator::record;
using emulator::success_or_fault;
using Clock = std::chrono::steady_clock;

struct CUstream_st {
    unsigned long long id;
};

struct CUevent_st {
    bool has_timing;
    bool recorded = false;
    Clock::time_point time{};
};

static bool is_created(cudaStream_t stream) {
    return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    if (!stream || flags > cudaStreamNonBlocking) return record(cudaErrorInvalidValue);
    static std::atomic<unsigned long long> created{1};  // number 1 is the default stream's
    *stream = new CUstream_st{++created};
    return success_or_fault();
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!is_created(stream)) return record(cudaErrorInvalidResourceHandle);
    delete stream;
    return success_or_fault();
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    if (!id) return record(cudaErrorInvalidValue);
    *id = is_created(stream) ? stream->id : 1;
    return success_or_fault();
}

// Nothing is captured here.
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
    if (!status) return record(cudaErrorInvalidValue);
    *status = cudaStreamCaptureStatusNone;
    return success_or_fault();
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    if (!mode) return record(cudaErrorInvalidValue);
    std::swap(current, *mode);
    return success_or_fault();
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return success_or_fault();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned int) {
    return event ? success_or_fault() : record(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
    if (!event) return record(cudaErrorInvalidValue);
    *event = new CUevent_st{(flags & cudaEventDisableTiming) == 0};
    return success_or_fault();
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event) return record(cudaErrorInvalidResourceHandle);
    delete event;
    return success_or_fault();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    if (!event) return record(cudaErrorInvalidResourceHandle);
    event->recorded = true;
    event->time = Clock::now();
    return success_or_fault();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return event ? success_or_fault() : record(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!milliseconds) return record(cudaErrorInvalidValue);
    const bool usable = start && end && start->recorded && end->recorded && start->has_timing && end->has_timing;
    if (!usable) return record(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return success_or_fault();
}

cudaError_t cudaStreamQuery(cudaStream_t) {
    return success_or_fault();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int) {
    if (!callback) return record(cudaErrorInvalidValue);
    callback(stream, success_or_fault(), data);
    return success_or_fault();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    if (!function) return record(cudaErrorInvalidValue);
    function(data);
    return success_or_fault();
}
