// Which GPU CUDA plugins would run on.
#pragma once

#include "values/gpu_info.h"

namespace judge {

// A worker asks, since this process must not initialise CUDA: what is forked after that cannot use it. Where
// remember_gpu() was called by the process that has started this one, its answer is taken, which saves 0.3 s.
GpuInfo probe_gpu(double timeout_s);

// For the runs of compare that this process starts.
void remember_gpu(const GpuInfo& gpu);

}  // namespace judge
