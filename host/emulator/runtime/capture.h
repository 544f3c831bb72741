// What a call may not do while its stream is captured into a graph. Nothing is captured here: each launch is executed
// when it is made. But with EMULATOR_CAPTURE=1, which `compare` sets for some calls, a call of an entry that takes a
// stream, and is given none, gets one that is said to be captured, in the global mode. What CUDA refuses then fails
// as it would: to wait for the stream, for an event that was recorded on it or for the device, to ask whether they
// have ended, to allocate, free or copy other than in the order of a stream, unless the thread has exchanged its
// capture mode for the relaxed one, and work on the legacy default stream. A copy from the entry's stack fails too,
// which CUDA lets pass: each replay would read what lies there by then.
#pragma once

#include "../include/cuda_runtime_api.h"

namespace emulator {

class Capture {
  public:
    explicit Capture(void* given);
    ~Capture();
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    static bool is_wanted();
    cudaStream_t stream() const { return stream_; }  // in place of the one that was given

  private:
    cudaStream_t stream_;
    bool is_active_ = false;
};

bool is_captured(cudaStream_t stream);

// Whether it is in the part of the calling thread's stack that is gone when the call of the entry has returned.
bool is_on_stack(const void* memory);

// cudaSuccess or, while a stream is captured, the error, recorded: of what waits for all work of the device; of what
// CUDA calls unsafe, which a thread in relaxed mode may do; of work or a wait on this stream.
cudaError_t refuse_in_capture(const char* call);
cudaError_t refuse_unsafe_in_capture(const char* call);
cudaError_t refuse_if_captured(const char* call, bool captured);
cudaError_t refuse_legacy_in_capture(const char* call, cudaStream_t stream);

// Exchanged by cudaThreadExchangeStreamCaptureMode.
cudaStreamCaptureMode& capture_mode();

// The first that was refused to this thread's last captured call, in one line, once; null if nothing was.
const char* take_refused_in_capture();

}  // namespace emulator
