// The current device's figures, on which launches depend. Each device is asked once: an attribute costs the host some
// 50 ns, and a product needs a dozen of them.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace ladder {

constexpr int kMostDevices = 64;  // whose figures are kept; others are asked at each call

struct DeviceFigures {
    cudaError_t error = cudaSuccess;  // why there are none
    int number = 0;
    int capability = 0;                                 // compute capability times 10: 90 on an H100
    int sms = 1;                                        // 1 at least
    int shared_of_block = 0, shared_of_sm = 0, l2 = 0;  // bytes
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
    found.capability = 10 * major + minor;
    found.sms = std::max(found.sms, 1);
    return found;
}

inline DeviceFigures current_device() {
    static std::atomic<const DeviceFigures*> known[kMostDevices] = {};  // never freed: at most one object a device
    int number = 0;
    if (const cudaError_t error = cudaGetDevice(&number); error != cudaSuccess) return {.error = error};
    if (number >= kMostDevices) return ask_device(number);
    if (const DeviceFigures* const found = known[number].load(std::memory_order_acquire)) return *found;
    const DeviceFigures asked = ask_device(number);
    if (asked.error != cudaSuccess) return asked;
    const DeviceFigures* expected = nullptr;
    const auto* const kept = new DeviceFigures(asked);
    if (!known[number].compare_exchange_strong(expected, kept, std::memory_order_acq_rel)) delete kept;
    return asked;
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

// Lets the kernel have so many bytes of dynamic shared memory. The runtime is told once per kernel, device and larger
// figure: it takes 0.4 us. What fails here fails the launch, too.
inline void allow_shared(const void* kernel, int bytes) {
    struct Allowed {
        std::atomic<const void*> kernel;
        std::atomic<int> bytes[kMostDevices];
    };
    static Allowed table[256] = {};  // more kernels than a plugin has that need it
    static std::mutex mutex;
    int device = 0;
    cudaGetDevice(&device);
    const auto tell = [&] {
        return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) == cudaSuccess;
    };
    for (Allowed& each : table) {
        if (device >= kMostDevices) break;
        const void* owner = each.kernel.load(std::memory_order_acquire);
        if (owner == nullptr && each.kernel.compare_exchange_strong(owner, kernel)) owner = kernel;
        if (owner != kernel) continue;
        std::atomic<int>& allowed = each.bytes[device];
        if (allowed.load(std::memory_order_acquire) >= bytes) return;
        const std::lock_guard<std::mutex> lock(mutex);  // else a smaller figure might be told last
        if (allowed.load() < bytes && tell()) allowed.store(bytes, std::memory_order_release);
        return;
    }
    tell();
}

template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), int bytes) {
    allow_shared(reinterpret_cast<const void*>(kernel), bytes);
}

}  // namespace ladder
