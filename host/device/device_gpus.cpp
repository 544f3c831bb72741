// Host memory before all GPUs: pins it, and measures how fast it is copied into all of them at a time and back.
#ifdef HAVE_CUDA
#include <cstdlib>
#include <vector>

#include "device/device_cuda_memory.h"
#include "device/device_cuda_timing.h"

namespace judge {

namespace {

// One GPU's end of the measurement.
class Lane {
  public:
    static constexpr size_t kBytes = size_t{256} << 20;

    explicit Lane(int gpu) : gpu_(gpu) {
        MUST(cudaSetDevice(gpu));
        if (cudaHostAlloc(&host_, kBytes, cudaHostAllocPortable) != cudaSuccess) throw OutOfMemory("pinned memory");
        if (cudaMalloc(&device_, kBytes) != cudaSuccess) throw OutOfMemory(gpu_memory(kBytes));
        MUST(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        MUST(cudaEventCreate(&start_));
        MUST(cudaEventCreate(&stop_));
    }
    ~Lane() {
        cudaSetDevice(gpu_);
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
        cudaStreamDestroy(stream_);
        cudaFree(device_);
        cudaFreeHost(host_);
    }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    void enqueue(bool in) {
        MUST(cudaSetDevice(gpu_));
        MUST(cudaEventRecord(start_, stream_));
        MUST(cudaMemcpyAsync(in ? device_ : host_, in ? host_ : device_, kBytes, cudaMemcpyDefault, stream_));
        MUST(cudaEventRecord(stop_, stream_));
    }
    double seconds() {
        float ms = 0;
        MUST(cudaEventSynchronize(stop_));
        MUST(cudaEventElapsedTime(&ms, start_, stop_));
        return 1e-3 * ms;
    }

  private:
    int gpu_;
    void *host_ = nullptr, *device_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

// Bytes a second, of all lanes at a time: the best of five.
double measure(std::vector<std::unique_ptr<Lane>>& lanes, bool in) {
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        for (const auto& each : lanes) each->enqueue(in);
        double longest = 0;
        for (const auto& each : lanes) longest = std::max(longest, each->seconds());
        best = std::max(best, double(lanes.size() * Lane::kBytes) / longest);
    }
    return best;
}

int gpus_to_use() {
    int present = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&present); error != cudaSuccess || present == 0) {
        throw NoDevice(std::string("no GPU answers: ") + (error ? cudaGetErrorString(error) : "none found"));
    }
    const char* const asked = std::getenv("SOLVE_GPUS");
    const int count = asked ? std::atoi(asked) : 0;
    return count > 0 && count < present ? count : present;
}

}  // namespace

std::unique_ptr<Device> make_gpus_device(bool pinned) {
    GpusBehind gpus;
    std::vector<std::unique_ptr<Lane>> lanes;
    const int count = gpus_to_use();
    for (int gpu = 0; gpu < count; ++gpu) {
        lanes.push_back(std::make_unique<Lane>(gpu));
        const GpuRates rates = gpu_rates();  // of the current one
        gpus.fp32_flops += rates.fp32_flops;
        gpus.fastest_flops += rates.fastest_flops;
    }
    gpus.bytes_in = measure(lanes, true);
    gpus.bytes_out = measure(lanes, false);
    lanes.clear();
    MUST(cudaSetDevice(0));
    if (pinned) {
        gpus.pin = [](void* memory, size_t bytes) {
            if (cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess) return true;
            cudaGetLastError();
            return false;
        };
        gpus.unpin = [](void* memory) {
            if (cudaHostUnregister(memory) != cudaSuccess) cudaGetLastError();
        };
    }
    return make_host_device(gpus);
}

}  // namespace judge
#endif
