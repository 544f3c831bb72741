// The device interface over CUDA memory: for plugins that hold GPU code. Runs in worker processes only.
#include <cuda_profiler_api.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "device/device_cuda_graph.h"
#include "device/device_cuda_memory.h"
#include "device/device_cuda_timing.h"
#include "values/data.h"

namespace judge {

namespace {

__global__ void fill_bits(uint32_t* memory, size_t count, uint32_t bits) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) memory[i] = bits;
}

__global__ void fill_elements(float* memory, size_t count, RandomMatrix matrix) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
        memory[i] = element(matrix, i);
}

// Reads along the rows of `to`: 4096 x 4096 take less than a millisecond so.
__global__ void transpose_elements(float* to, const float* from, int64_t rows, int64_t cols) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += stride) {
        to[i] = from[i % rows * cols + i / rows];
    }
}

// Counts the words that are not `bits`, or, if `random`, not element(matrix, i).
__global__ void count_differing(const uint32_t* memory, size_t count, uint32_t bits, bool random, RandomMatrix matrix,
                                Count* total) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    Count found = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        found += memory[i] != (random ? __float_as_uint(element(matrix, i)) : bits);
    }
    if (found) atomicAdd(total, found);
}

__global__ void sum_hashes(const uint32_t* memory, size_t count, Count* total) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    Count sum = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        sum += hash_of_word(i, memory[i]);
    }
    atomicAdd(total, sum);
}

__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

class CudaDevice final : public Device {
  public:
    CudaDevice() {
        const GpuInfo gpu = query_gpu(nvml_);
        if (!gpu.problem.empty()) throw NoDevice(gpu.problem);
        capability_ = gpu.compute_capability;
        uuid_ = gpu.uuid;
        rates_ = gpu_rates();
        reference_ = make_cuda_reference();
        canary_.emplace(std::vector<uint32_t>{kCanary});
    }

    int compute_capability() const override { return capability_; }

    float* allocate(size_t floats) override {
        float* memory = nullptr;
        if (cudaMalloc(&memory, std::max<size_t>(floats, 1) * sizeof(float)) == cudaSuccess) return memory;
        cudaGetLastError();
        throw OutOfMemory(gpu_memory(floats * sizeof(float)));
    }

    void release(float* memory) noexcept override { cudaFree(memory); }

    float* allocate_pinned(size_t floats) override {
        float* memory = nullptr;
        if (cudaMallocHost(&memory, std::max<size_t>(floats, 1) * sizeof(float)) == cudaSuccess) return memory;
        cudaGetLastError();
        return nullptr;
    }

    void release_pinned(float* memory) noexcept override { cudaFreeHost(memory); }

    void fill(float* memory, size_t floats, uint32_t bits) override {
        if (floats == 0) return;
        fill_bits<<<blocks_for(floats), kThreads>>>(reinterpret_cast<uint32_t*>(memory), floats, bits);
        MUST(cudaGetLastError());
    }

    void fill_random(float* memory, size_t floats, const RandomMatrix& matrix) override {
        if (floats == 0) return;
        fill_elements<<<blocks_for(floats), kThreads>>>(memory, floats, matrix);
        MUST(cudaGetLastError());
    }

    size_t count_other(const float* memory, size_t floats, uint32_t bits) override {
        return count(memory, floats, bits, false, {});
    }

    size_t count_changed(const float* memory, size_t floats, const RandomMatrix& matrix) override {
        return count(memory, floats, 0, true, matrix);
    }

    uint64_t hash(const float* memory, size_t floats) override {
        if (floats == 0) return 0;
        const Buffer<Count> total(std::vector<Count>{0});
        sum_hashes<<<blocks_for(floats), kThreads>>>(reinterpret_cast<const uint32_t*>(memory), floats, total.data());
        MUST(cudaGetLastError());
        return total.to_host()[0];
    }

    void write(float* to_device, const float* from_host, size_t floats) override {
        MUST(cudaMemcpy(to_device, from_host, floats * sizeof(float), cudaMemcpyHostToDevice));
    }

    void read(float* to_host, const float* from_device, size_t floats) override {
        MUST(cudaMemcpy(to_host, from_device, floats * sizeof(float), cudaMemcpyDeviceToHost));
    }

    void transpose(float* to, const float* from, int64_t rows, int64_t cols) override {
        if (rows * cols == 0) return;
        transpose_elements<<<blocks_for(rows * cols), kThreads>>>(to, from, rows, cols);
        MUST(cudaGetLastError());
    }

    bool has_streams() const override { return true; }

    void* side_stream() override {
        if (side_stream_ == nullptr) MUST(cudaStreamCreateWithFlags(&side_stream_, cudaStreamNonBlocking));
        return side_stream_;
    }

    bool has_graphs() const override { return true; }

    void* create_stream() override {
        cudaStream_t stream = nullptr;
        MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        return stream;
    }

    void destroy_stream(void* stream) noexcept override { cudaStreamDestroy(static_cast<cudaStream_t>(stream)); }

    Captured capture(void* stream, CaptureMode mode, const std::function<void()>& enqueue) override {
        return capture_graph(static_cast<cudaStream_t>(stream), mode, enqueue);
    }

    void occupy_default_stream() override {
        spin<<<1, 1>>>(kSpinCycles);
        MUST(cudaGetLastError());
    }

    void read_after(void* stream, float* to_host, const float* from_device, size_t floats) override {
        const cudaStream_t own = static_cast<cudaStream_t>(stream);
        MUST(cudaMemcpyAsync(to_host, from_device, floats * sizeof(float), cudaMemcpyDeviceToHost, own));
        MUST(cudaStreamSynchronize(own));
    }

    Settings settings() override {
        unsigned flags = 0;
        cudaFuncCache cache = cudaFuncCachePreferNone;
        MUST(cudaGetDeviceFlags(&flags));
        flags &= ~unsigned{cudaDeviceLmemResizeToMax};  // the driver sets it by itself where a graph is made
        MUST(cudaDeviceGetCacheConfig(&cache));
        Settings found = {{"the current device", std::exchange(left_current_, 0)},
                          {"the device's flags", flags},
                          {"the split of L1 and shared memory", cache}};
        for (const auto& [limit, name] : kLimits) {
            size_t value = 0;
            if (cudaDeviceGetLimit(&value, limit) == cudaSuccess) found.emplace_back(name, int64_t(value));
        }
        cudaGetLastError();  // of a limit that this GPU does not have
        return found;
    }

    void restore(const Settings& wanted) override {
        const Settings now = settings();
        for (const auto& [limit, name] : kLimits) {
            for (size_t i = 0; i < wanted.size(); ++i) {
                if (wanted[i].first != name || wanted[i] == now[i]) continue;
                MUST(cudaDeviceSetLimit(limit, size_t(wanted[i].second)));
                // Lines that were made to persist would outlive a flush of the cache.
                if (limit == cudaLimitPersistingL2CacheSize) MUST(cudaCtxResetPersistingL2Cache());
            }
        }
    }

    // With what the default memory pool keeps and nobody uses: the driver takes it back when cudaMalloc finds too
    // little.
    std::optional<uint64_t> bytes_available() override {
        size_t free = 0, total = 0;
        MUST(cudaMemGetInfo(&free, &total));
        cudaMemPool_t pool{};
        uint64_t reserved = 0, used = 0;
        const bool known = cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess &&
                           cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess &&
                           cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess;
        if (!known) cudaGetLastError();  // a GPU without pools
        return known ? free + (reserved - used) : free;
    }

    int64_t bytes_in_use() override {
        size_t free = 0, total = 0;
        MUST(cudaMemGetInfo(&free, &total));
        return int64_t(total - free);
    }

    // By copying four bytes: that waits for the default stream, and fails where a cudaDeviceReset has taken the memory,
    // after which cudaDeviceSynchronize still reports success.
    void finish_default_stream() override {
        int current = 0;
        if (cudaGetDevice(&current) == cudaSuccess && current != 0) {
            left_current_ = current;
            MUST(cudaSetDevice(0));
        }
        uint32_t bits = 0;
        const cudaError_t copied = cudaMemcpy(&bits, canary_->data(), sizeof(bits), cudaMemcpyDeviceToHost);
        if (copied == cudaSuccess && bits == kCanary) return must(cudaGetLastError(), "the GPU stopped");
        // A kernel's failure stays with the context: every later call reports it.
        if (cudaDeviceSynchronize() == copied) must(copied, "the GPU stopped");
        throw DeviceLost(
            std::string("the CUDA context was destroyed (by cudaDeviceReset?): memory of before the call ") +
            (copied == cudaSuccess ? "holds something else" : cudaGetErrorString(copied)));
    }

    Reference& reference() override { return *reference_; }

    void synchronize() override {
        must(cudaDeviceSynchronize(), "the GPU stopped");
        must(cudaGetLastError(), "the GPU stopped");
    }

    std::unique_ptr<StreamTimes> stream_times() override { return std::make_unique<EventTimes>(); }

    double cold_seconds(const std::function<void()>& call) override {
        if (!cold_timer_) cold_timer_ = std::make_unique<ColdTimer>();
        const double seconds = cold_timer_->seconds(call);
        synchronize();  // for work that the events do not see
        return seconds;
    }

    // Behind a kernel of some milliseconds, enqueuing alone takes microseconds. The kernel ends by itself: a lock that
    // the host releases would deadlock with a call that waits.
    bool waits_for_its_work(const std::function<void()>& call) override {
        synchronize();
        occupy_default_stream();
        const auto start = std::chrono::steady_clock::now();
        call();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        synchronize();
        return took.count() > kSpinCycles / 4e9;  // half of the kernel, at 2 GHz
    }

    void profile(bool on) override { MUST(on ? cudaProfilerStart() : cudaProfilerStop()); }

    double least_seconds(double flops, bool fp32) const override {
        return flops / (fp32 ? rates_.fp32_flops : rates_.fastest_flops);
    }

    double least_seconds_for_bytes(double bytes) const override { return bytes / rates_.memory_bytes; }

    std::optional<GpuHealth> health() const override { return nvml_.health(uuid_); }

  private:
    static constexpr long long kSpinCycles = 20'000'000;  // 10 ms at 2 GHz

    size_t count(const float* memory, size_t floats, uint32_t bits, bool random, const RandomMatrix& matrix) {
        if (floats == 0) return 0;
        const Buffer<Count> total(std::vector<Count>{0});
        count_differing<<<blocks_for(floats), kThreads>>>(reinterpret_cast<const uint32_t*>(memory), floats, bits,
                                                          random, matrix, total.data());
        MUST(cudaGetLastError());
        return total.to_host()[0];
    }

    static constexpr uint32_t kCanary = 0xca4a2135;
    static constexpr std::pair<cudaLimit, const char*> kLimits[] = {
        {cudaLimitStackSize, "the stack of a GPU thread"},
        {cudaLimitPrintfFifoSize, "the buffer of printf on the GPU"},
        {cudaLimitMallocHeapSize, "the heap of malloc on the GPU"},
        {cudaLimitDevRuntimePendingLaunchCount, "the limit of launches by kernels"},
        {cudaLimitMaxL2FetchGranularity, "the L2 cache's fetch granularity"},
        {cudaLimitPersistingL2CacheSize, "the part of the L2 cache that persists"},
    };

    int capability_ = 0;
    std::string uuid_;
    GpuRates rates_{};
    Nvml nvml_;
    std::unique_ptr<ColdTimer> cold_timer_;
    std::unique_ptr<Reference> reference_;
    std::optional<Buffer<uint32_t>> canary_;
    int left_current_ = 0;  // the device that a plugin left current instead of ours
    cudaStream_t side_stream_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device() {
    return std::make_unique<CudaDevice>();
}

}  // namespace judge
