#include "function_attributes.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "../include/cuda_runtime_api.h"
#include "error.h"
#include "shared_memory.h"

namespace emulator {
namespace {

std::mutex attributes_mutex;
std::map<const void*, size_t> opted_in;
size_t largest_opt_in = SharedMemory::kDefault;

}  // namespace

size_t dynamic_shared_limit(const void* function) {
    const std::lock_guard lock(attributes_mutex);
    if (!function) return largest_opt_in;
    const auto found = opted_in.find(function);
    return found == opted_in.end() ? SharedMemory::kDefault : found->second;
}

}  // namespace emulator

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    using namespace emulator;
    if (!function) return record(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        return value < -1 || value > 100 ? record(cudaErrorInvalidValue) : success_or_fault();
    }
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        return value < 0 || value > 1 ? record(cudaErrorInvalidValue) : success_or_fault();
    }
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return record(cudaErrorInvalidValue);
    if (value < 0 || static_cast<size_t>(value) > SharedMemory::kMaximum) {
        return record(cudaErrorInvalidValue, std::to_string(value) +
                                                 " bytes of dynamic shared memory, a block has at most " +
                                                 std::to_string(SharedMemory::kMaximum));
    }
    const std::lock_guard lock(attributes_mutex);
    const size_t limit = std::max(static_cast<size_t>(value), SharedMemory::kDefault);
    opted_in[function] = limit;
    largest_opt_in = std::max(largest_opt_in, limit);
    return success_or_fault();
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
    return function ? emulator::success_or_fault() : emulator::record(cudaErrorInvalidDeviceFunction);
}

// By threads and dynamic shared memory only: registers are unknown here.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          size_t dynamic_shared) {
    if (!blocks || !function || block_size <= 0) return emulator::record(cudaErrorInvalidValue);
    constexpr size_t kReserved = 1024, kPerMultiprocessor = 228 << 10;
    const size_t by_memory = kPerMultiprocessor / (dynamic_shared + kReserved);
    *blocks = block_size > 1024 ? 0 : std::min({2048 / block_size, 32, static_cast<int>(by_memory)});
    return emulator::success_or_fault();
}

cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, const void* function, size_t,
                                               int limit) {
    if (!grid_size || !block_size || !function) return emulator::record(cudaErrorInvalidValue);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    *block_size = limit > 0 ? std::min(limit, 1024) : 1024;
    *grid_size = properties.multiProcessorCount * (2048 / *block_size);
    return emulator::success_or_fault();
}

// Registers and static shared memory are unknown before the kernel runs.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    if (!attributes) return emulator::record(cudaErrorInvalidValue);
    if (!function) return emulator::record(cudaErrorInvalidDeviceFunction);
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(emulator::dynamic_shared_limit(function));
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return emulator::success_or_fault();
}
