// Captures of a CUDA stream. Compiled by nvcc.
#pragma once

#include <cuda_runtime.h>

#include <functional>

#include "device/graph.h"

namespace judge {

// What `enqueue` puts on the stream, as a graph.
Captured capture_graph(cudaStream_t stream, CaptureMode mode, const std::function<void()>& enqueue);

}  // namespace judge
