// Figures of the current device, on which launches depend.
#pragma once

#include <algorithm>

#include "../export/launch.h"

namespace ladder {

inline int current_device() {
    int device = 0;
    cudaGetDevice(&device);
    return device;
}

// An attribute of the current device, 0 where it cannot be had.
inline int device_attribute(cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, current_device()) == cudaSuccess ? value : 0;
}

// The number of SMs, 1 at least.
inline int sm_count() {
    return std::max(device_attribute(cudaDevAttrMultiProcessorCount), 1);
}

// Times 10: 90 on an H100.
inline int compute_capability() {
    return 10 * device_attribute(cudaDevAttrComputeCapabilityMajor) +
           device_attribute(cudaDevAttrComputeCapabilityMinor);
}

// Bytes of shared memory that a block can have, and that there are per SM.
struct SharedMemory {
    int of_block, of_sm;
};

inline SharedMemory shared_memory() {
    return {device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)};
}

}  // namespace ladder
