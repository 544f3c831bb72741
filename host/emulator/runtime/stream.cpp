// Streams and events. A launch has finished when it returns, so a stream holds nothing and orders nothing, unless work
// is deferred; what a GPU would not order is noted.
#include "stream.h"

#include <atomic>
#include <chrono>
#include <map>
#include <new>
#include <utility>

#include "capture.h"
#include "devices.h"
#include "error.h"

using emulator::record;
using emulator::success_or_fault;
using Clock = std::chrono::steady_clock;

struct CUstream_st {
    unsigned long long id;
    int device = 0;
    bool is_blocking = true;            // waits for the default stream, which waits for it
    unsigned long long ordered_in = 0;  // the call in which it has waited for the default stream
};

struct CUevent_st {
    int device;
    bool has_timing;
    bool recorded = false, is_of_capture = false;
    emulator::OperationPtr operation{};  // that it waits for, if work is deferred
    Clock::time_point time{};
    unsigned long long stream = 0;      // that it was recorded on, if that does not wait for the default stream
    unsigned long long moment = 0;      // when
    unsigned long long ordered_in = 0;  // the call in which it comes after the default stream's work before the call
};

static bool is_created(cudaStream_t stream) {
    return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

namespace emulator {
namespace {

std::atomic<size_t> live_handles{0};
std::atomic<unsigned long long> created{1};  // number 1 is the default stream's
std::atomic<unsigned long long> calls{0};

// The call of solve on this thread; number 0 is none.
struct OrderedCall {
    unsigned long long number = 0, moment = 0;
    bool host_waited = false;
    const char* remark = "";
    std::map<unsigned long long, unsigned long long> pending;  // by stream, the moment of the last work on it
};
thread_local OrderedCall call;

bool is_free(cudaStream_t stream) {
    return is_created(stream) && !stream->is_blocking;
}

bool is_ordered(cudaStream_t stream) {
    return call.host_waited || !is_free(stream) || stream->ordered_in == call.number;
}

void note_wait_for(const CUevent_st& event) {
    const auto found = call.pending.find(event.stream);
    if (found != call.pending.end() && found->second <= event.moment) call.pending.erase(found);
}

bool is_elsewhere(const CUevent_st& event, cudaStream_t stream) {
    return lane_of(stream).device != event.device;
}

}  // namespace

Lane lane_of(cudaStream_t stream) {
    if (!is_created(stream)) return {current_device(), 0, true};
    return {stream->device, stream->id, stream->is_blocking};
}

cudaStream_t callers_stream() {
    static CUstream_st only{++created, 0, false};
    return &only;
}

cudaStream_t second_callers_stream() {
    static CUstream_st only{++created, 0, false};
    return &only;
}

void begin_ordered_call() {
    call = {};
    call.number = ++calls;
}

const char* end_ordered_call() {
    if (!call.pending.empty()) {
        call.remark =
            "work on a stream of cudaStreamNonBlocking may still be running when solve returns: the default stream "
            "does "
            "not wait for it";
    }
    call.number = 0;
    return call.remark;
}

void work_begins_on(cudaStream_t stream) {
    if (call.number == 0 || !is_free(stream)) return;
    if (!is_ordered(stream)) {
        call.remark =
            "work on a stream of cudaStreamNonBlocking may begin while the default stream still writes A and B: it "
            "does "
            "not wait for it";
    }
    call.pending[stream->id] = ++call.moment;
}

void host_waited_for_default_stream() {
    call.host_waited = true;
}

void host_waited_for_all() {
    call.host_waited = true;
    call.pending.clear();
}

size_t live_streams_and_events() {
    return live_handles;
}

}  // namespace emulator

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    if (!stream || flags > cudaStreamNonBlocking) return record(cudaErrorInvalidValue);
    *stream = new CUstream_st{++emulator::created, emulator::current_device(), flags != cudaStreamNonBlocking};
    ++emulator::live_handles;
    return success_or_fault();
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!is_created(stream)) return record(cudaErrorInvalidResourceHandle);
    emulator::wait_for_lane(emulator::lane_of(stream));
    delete stream;
    --emulator::live_handles;
    return success_or_fault();
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    if (!id) return record(cudaErrorInvalidValue);
    *id = is_created(stream) ? stream->id : 1;
    return success_or_fault();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    if (!status) return record(cudaErrorInvalidValue);
    *status = emulator::is_captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return success_or_fault();
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    if (!mode) return record(cudaErrorInvalidValue);
    std::swap(emulator::capture_mode(), *mode);
    return success_or_fault();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (const cudaError_t error = emulator::refuse_if_captured("cudaStreamSynchronize", emulator::is_captured(stream));
        error != cudaSuccess) {
        return error;
    }
    emulator::wait_for_lane(emulator::lane_of(stream));
    if (emulator::is_ordered(stream)) emulator::host_waited_for_default_stream();
    if (emulator::is_free(stream)) emulator::call.pending.erase(stream->id);
    return success_or_fault();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
    if (!event) return record(cudaErrorInvalidResourceHandle);
    if (emulator::is_deferred() && event->operation) {
        emulator::defer_wait(emulator::lane_of(stream), event->operation);
    }
    const size_t pending = emulator::call.pending.size();
    emulator::note_wait_for(*event);
    if (emulator::is_free(stream)) {
        if (event->ordered_in == emulator::call.number) stream->ordered_in = emulator::call.number;
        if (emulator::call.pending.size() < pending) emulator::call.pending[stream->id] = ++emulator::call.moment;
    }
    return success_or_fault();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
    if (!event) return record(cudaErrorInvalidValue);
    *event = new CUevent_st{emulator::current_device(), (flags & cudaEventDisableTiming) == 0};
    ++emulator::live_handles;
    return success_or_fault();
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!event) return record(cudaErrorInvalidResourceHandle);
    delete event;
    --emulator::live_handles;
    return success_or_fault();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (!event) return record(cudaErrorInvalidResourceHandle);
    if (emulator::is_elsewhere(*event, stream))
        return record(cudaErrorInvalidResourceHandle, "the event and the stream are of two devices");
    if (const cudaError_t error = emulator::refuse_legacy_in_capture("cudaEventRecord on the default stream", stream);
        error != cudaSuccess) {
        return error;
    }
    event->is_of_capture = emulator::is_captured(stream);
    event->stream = emulator::is_free(stream) ? stream->id : 0;
    event->moment = emulator::call.moment;
    event->ordered_in = emulator::is_ordered(stream) ? emulator::call.number : 0;
    event->recorded = true;
    event->time = Clock::now();
    event->operation = emulator::is_deferred() ? emulator::defer(emulator::lane_of(stream), nullptr) : nullptr;
    return success_or_fault();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (!event) return record(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = emulator::refuse_if_captured("cudaEventSynchronize", event->is_of_capture);
        error != cudaSuccess) {
        return error;
    }
    emulator::wait_for(event->operation);
    emulator::note_wait_for(*event);
    if (event->recorded && event->ordered_in == emulator::call.number) emulator::host_waited_for_default_stream();
    return success_or_fault();
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (!event) return record(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = emulator::refuse_unsafe_in_capture("cudaEventQuery"); error != cudaSuccess) {
        return error;
    }
    emulator::run_some_deferred();
    if (!emulator::has_ended(event->operation)) return cudaErrorNotReady;
    return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (!milliseconds) return record(cudaErrorInvalidValue);
    const bool usable = start && end && start->recorded && end->recorded && start->has_timing && end->has_timing;
    if (!usable) return record(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
    return success_or_fault();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    emulator::run_some_deferred();
    if (!emulator::is_empty(emulator::lane_of(stream))) return cudaErrorNotReady;
    return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int) {
    if (!callback) return record(cudaErrorInvalidValue);
    if (!emulator::is_deferred()) {
        callback(stream, success_or_fault(), data);
    } else {
        emulator::defer(emulator::lane_of(stream), [=] { callback(stream, success_or_fault(), data); });
    }
    return success_or_fault();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    if (!function) return record(cudaErrorInvalidValue);
    if (!emulator::is_deferred()) {
        function(data);
    } else {
        emulator::defer(emulator::lane_of(stream), [=] { function(data); });
    }
    return success_or_fault();
}
