// Dynamic shared memory past 48 KB, which a kernel must be allowed to have.
#pragma once

#include <atomic>
#include <mutex>

#include "device.h"

namespace ladder {

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
