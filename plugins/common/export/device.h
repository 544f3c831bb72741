// The current device's figures, on which launches depend. Each device is asked once: an attribute costs the host some
// 50 ns, and a product needs a dozen of them.
#pragma once

#include <cuda_runtime.h>

namespace ladder {

constexpr int kMostDevices = 64;  // whose figures are kept; others are asked at each call

struct DeviceFigures {
    cudaError_t error = cudaSuccess;  // why there are none
    int number = 0;
    int capability = 0;                                 // compute capability times 10: 90 on an H100
    int sms = 1;                                        // 1 at least
    int shared_of_block = 0, shared_of_sm = 0, l2 = 0;  // bytes
    int memory = 0;                                     // GB/s at most; 0 if the driver does not say
};

inline DeviceFigures ask_device(int number) {
    DeviceFigures found;
    found.number = number;
    int major = 0, minor = 0;
    const auto ask = [&](int& value, cudaDeviceAttr which) {
        if (found.error == cudaSuccess) found.error = cudaDeviceGetAttribute(&value, which, number);
    };
    ask(major, cudaDevAttrComputeCapabilityMajor);
    ask(minor, cudaDevAttrComputeCapabilityMinor);
    ask(found.sms, cudaDevAttrMultiProcessorCount);
    ask(found.shared_of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    ask(found.shared_of_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    ask(found.l2, cudaDevAttrL2CacheSize);
    int kilohertz = 0, bits = 0;  // by which kernels are chosen, and which no call fails for want of
    if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, number) != cudaSuccess ||
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, number) != cudaSuccess) {
        cudaGetLastError();
        kilohertz = 0;
    }
    found.memory = static_cast<int>(2e-6 * kilohertz * (bits / 8));  // two transfers a cycle
    found.capability = 10 * major + minor;
    if (found.sms < 1) found.sms = 1;
    return found;
}

// Of all devices, each with why it has none.
struct DeviceTable {
    int count = 0;
    DeviceFigures of[kMostDevices];
};

inline DeviceTable ask_devices() {
    DeviceTable table;
    if (cudaGetDeviceCount(&table.count) != cudaSuccess) table.count = 0;
    for (int number = 0; number < table.count && number < kMostDevices; ++number) table.of[number] = ask_device(number);
    return table;
}

// (Not by <atomic> or <mutex>: each takes nvcc half a second, as long as all the rest of a small rung.)
inline DeviceFigures current_device() {
    int number = 0;
    if (const cudaError_t error = cudaGetDevice(&number); error != cudaSuccess) return {.error = error};
    static const DeviceTable table = ask_devices();
    const bool is_known = number < table.count && number < kMostDevices && table.of[number].error == cudaSuccess;
    return is_known ? table.of[number] : ask_device(number);
}

// The number of SMs, 1 at least.
inline int sm_count() {
    return current_device().sms;
}

// Bytes of shared memory that a block can have, and that there are per SM.
struct SharedMemory {
    int of_block, of_sm;
};

inline SharedMemory shared_memory() {
    const DeviceFigures device = current_device();
    return {device.shared_of_block, device.shared_of_sm};
}

}  // namespace ladder
