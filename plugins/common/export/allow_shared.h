// What a kernel must be allowed before it is launched: dynamic shared memory past 48 KB, clusters of more than 8
// blocks.
#pragma once

#include <atomic>
#include <mutex>

#include "device.h"

namespace ladder {

// Sets an attribute of the kernel to at least that value. The runtime is told once per kernel, device and larger value:
// it takes 0.4 us. What fails here fails the launch, too.
template <cudaFuncAttribute kWhat>
void allow(const void* kernel, int value) {
    struct Allowed {
        std::atomic<const void*> kernel;
        std::atomic<int> values[kMostDevices];
    };
    static Allowed table[256] = {};  // more kernels than a plugin has that need it
    static std::mutex mutex;
    int device = 0;
    cudaGetDevice(&device);
    const auto tell = [&] { return cudaFuncSetAttribute(kernel, kWhat, value) == cudaSuccess; };
    for (Allowed& each : table) {
        if (device >= kMostDevices) break;
        const void* owner = each.kernel.load(std::memory_order_acquire);
        if (owner == nullptr && each.kernel.compare_exchange_strong(owner, kernel)) owner = kernel;
        if (owner != kernel) continue;
        std::atomic<int>& allowed = each.values[device];
        if (allowed.load(std::memory_order_acquire) >= value) return;
        const std::lock_guard<std::mutex> lock(mutex);  // else a smaller value might be told last
        if (allowed.load() < value && tell()) allowed.store(value, std::memory_order_release);
        return;
    }
    tell();
}

inline void allow_shared(const void* kernel, int bytes) {
    allow<cudaFuncAttributeMaxDynamicSharedMemorySize>(kernel, bytes);
}

template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), int bytes) {
    allow_shared(reinterpret_cast<const void*>(kernel), bytes);
}

// Clusters of more than 8 blocks, where the GPU has them (largest_cluster() in ptx/cluster.h).
template <class... Parameters>
void allow_large_clusters(void (*kernel)(Parameters...)) {
    allow<cudaFuncAttributeNonPortableClusterSizeAllowed>(reinterpret_cast<const void*>(kernel), 1);
}

}  // namespace ladder
