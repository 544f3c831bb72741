// Whether the work of a solve on streams of its own is ordered as its caller expects: begun after what the default
// stream was given before, and done before what the default stream is given afterwards. Here every launch has ended
// when it returns; on a GPU one on a stream with cudaStreamNonBlocking waits for nothing, and nothing waits for it.
#pragma once

#include <cstddef>

#include "../include/cuda_runtime_api.h"
#include "deferred.h"

namespace emulator {

// Where a stream's work goes; of the default stream, the current device's.
Lane lane_of(cudaStream_t stream);

// One of cudaStreamNonBlocking that is not the plugin's.
cudaStream_t callers_stream();
cudaStream_t second_callers_stream();

// On this thread, from begin to end: end says what is not ordered, in one line; empty if all is.
void begin_ordered_call();
const char* end_ordered_call();

void work_begins_on(cudaStream_t stream);
// The host has waited: for the default stream, or for all there is.
void host_waited_for_default_stream();
void host_waited_for_all();

size_t live_streams_and_events();

}  // namespace emulator
