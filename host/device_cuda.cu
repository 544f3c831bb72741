// The device interface over CUDA memory: for plugins that hold GPU code. Runs in worker processes only.
#include "data.h"
#include "device_cuda_compare.h"
#include "device_cuda_memory.h"

namespace judge {

namespace {

__global__ void fill_bits(uint32_t* memory, size_t count, uint32_t bits) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) memory[i] = bits;
}

__global__ void fill_elements(float* memory, size_t count, Stream of) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) memory[i] = element(of, i);
}

// Counts the words that are not `bits`, or, if `random`, not element(of, i).
__global__ void count_differing(const uint32_t* memory, size_t count, uint32_t bits, bool random, Stream of,
                                Count* total) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    Count found = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        found += memory[i] != (random ? __float_as_uint(element(of, i)) : bits);
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
        const GpuInfo gpu = query_gpu();
        if (!gpu.problem.empty()) throw NoDevice(gpu.problem);
        capability_ = gpu.compute_capability;
        // FP64 lanes a multiprocessor, from the ratio that the driver gives: 128 / 2 on an H100, 128 / 64 on a GeForce.
        int ratio = 64, kilohertz = 0;
        cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0);
        cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0);
        // Two FP64 operations a multiply-add (the sum and the magnitude), a quarter of the peak, two seconds.
        budget_ = gpu.multiprocessors * (128.0 / std::max(ratio, 1)) * kilohertz * 1e3 / 2 * 0.25 * 2;
    }

    int compute_capability() const override { return capability_; }

    float* allocate(size_t floats) override {
        float* memory = nullptr;
        if (cudaMalloc(&memory, std::max<size_t>(floats, 1) * sizeof(float)) == cudaSuccess) return memory;
        cudaGetLastError();
        throw OutOfMemory(gpu_memory(floats * sizeof(float)));
    }

    void release(float* memory) noexcept override { cudaFree(memory); }

    void fill(float* memory, size_t floats, uint32_t bits) override {
        if (floats == 0) return;
        fill_bits<<<blocks_for(floats), kThreads>>>(reinterpret_cast<uint32_t*>(memory), floats, bits);
        MUST(cudaGetLastError());
    }

    void fill_random(float* memory, size_t floats, const Stream& stream) override {
        if (floats == 0) return;
        fill_elements<<<blocks_for(floats), kThreads>>>(memory, floats, stream);
        MUST(cudaGetLastError());
    }

    size_t count_other(const float* memory, size_t floats, uint32_t bits) override {
        return count(memory, floats, bits, false, {});
    }

    size_t count_changed(const float* memory, size_t floats, const Stream& stream) override {
        return count(memory, floats, 0, true, stream);
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

    void* side_stream() override {
        if (side_stream_ == nullptr) MUST(cudaStreamCreateWithFlags(&side_stream_, cudaStreamNonBlocking));
        return side_stream_;
    }

    void occupy_default_stream() override {
        spin<<<1, 1>>>(20'000'000);  // 10 ms at 2 GHz
        MUST(cudaGetLastError());
    }

    void read_after(void* stream, float* to_host, const float* from_device, size_t floats) override {
        const cudaStream_t own = static_cast<cudaStream_t>(stream);
        MUST(cudaMemcpyAsync(to_host, from_device, floats * sizeof(float), cudaMemcpyDeviceToHost, own));
        MUST(cudaStreamSynchronize(own));
    }

    Comparison compare(const float* A, const float* B, const float* C, const Shape& shape, double rho_bound,
                       const std::vector<int>& rows) override {
        return compare_on_gpu(A, B, C, shape, rho_bound, rows);
    }

    Comparison compare_chain(const float* A, const float* B, const float* C, const float* E, const Shape& shape,
                             double rho_bound) override {
        return compare_chain_on_gpu(A, B, C, E, shape, rho_bound);
    }

    std::vector<double> multiply(const float* matrix, int64_t rows, int64_t cols, const std::vector<double>& x,
                                 bool absolute) override {
        return multiply_on_gpu(matrix, rows, cols, x, absolute);
    }

    double comparison_budget() const override { return budget_; }

    void synchronize() override {
        must(cudaDeviceSynchronize(), "the GPU stopped");
        must(cudaGetLastError(), "the GPU stopped");
    }

  private:
    size_t count(const float* memory, size_t floats, uint32_t bits, bool random, const Stream& stream) {
        if (floats == 0) return 0;
        const Buffer<Count> total(std::vector<Count>{0});
        count_differing<<<blocks_for(floats), kThreads>>>(reinterpret_cast<const uint32_t*>(memory), floats, bits,
                                                          random, stream, total.data());
        MUST(cudaGetLastError());
        return total.to_host()[0];
    }

    int capability_ = 0;
    double budget_ = 0;
    cudaStream_t side_stream_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device() {
    return std::make_unique<CudaDevice>();
}

}  // namespace judge
