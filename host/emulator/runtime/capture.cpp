#include "capture.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "error.h"
#include "solve_call.h"
#include "stream.h"

namespace emulator {
namespace {

std::atomic<cudaStream_t> captured{nullptr};
std::atomic<const char*> first_refused{nullptr};
thread_local const void* outermost = nullptr;  // while a call is captured: the object that says so
thread_local char refused_text[128], taken_refused_text[128];

cudaError_t refuse(const char* call) {
    const char* none = nullptr;
    first_refused.compare_exchange_strong(none, call);
    return record(cudaErrorStreamCaptureUnsupported, call);
}

}  // namespace

bool Capture::is_wanted() {
    const char* const text = std::getenv("EMULATOR_CAPTURE");
    return text && *text && !SolveCall::has_host_matrices();
}

Capture::Capture(void* given) : stream_(static_cast<cudaStream_t>(given)) {
    refused_text[0] = '\0';
    if (given || !is_wanted()) return;
    is_active_ = true;
    stream_ = callers_stream();
    first_refused = nullptr;
    captured = stream_;
    outermost = this;
}

Capture::~Capture() {
    if (!is_active_) return;
    captured = nullptr;
    outermost = nullptr;
    if (const char* const call = first_refused) {
        const bool is_told = std::strchr(call, ',') != nullptr;
        const char* const why = is_told ? "" : ", which CUDA refuses while a stream is captured";
        std::snprintf(refused_text, sizeof(refused_text), "%s%s", call, why);
        cudaGetLastError();  // whoever has not looked at it would meet it in the next call
    }
}

bool is_captured(cudaStream_t stream) {
    return stream && stream == captured;
}

// It grows down, and an entry's frames are between that of the Capture and this one.
bool is_on_stack(const void* memory) {
    return outermost && memory >= __builtin_frame_address(0) && memory < outermost;
}

cudaError_t refuse_in_capture(const char* call) {
    return refuse_if_captured(call, captured != nullptr);
}

cudaError_t refuse_unsafe_in_capture(const char* call) {
    return refuse_if_captured(call, captured && capture_mode() != cudaStreamCaptureModeRelaxed);
}

cudaError_t refuse_if_captured(const char* call, bool is) {
    return is ? refuse(call) : cudaSuccess;
}

cudaError_t refuse_legacy_in_capture(const char* call, cudaStream_t stream) {
    return refuse_if_captured(call, captured && (!stream || stream == cudaStreamLegacy));
}

cudaStreamCaptureMode& capture_mode() {
    static thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    return mode;
}

const char* take_refused_in_capture() {
    if (!*refused_text) return nullptr;
    std::swap(refused_text, taken_refused_text);
    refused_text[0] = '\0';
    return taken_refused_text;
}

}  // namespace emulator
