// Which GPU answers, and with which driver.
#ifdef HAVE_CUDA
#include <dlfcn.h>

#include "device/device_cuda_memory.h"
#include "device/device_cuda_timing.h"
#include "device/nvml.h"

namespace judge {

namespace {

std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// As nvidia-smi prints it.
std::string text_of(const cudaUUID_t& uuid) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        text += kDigits[byte / 16];
        text += kDigits[byte % 16];
    }
    return text;
}

// Of the library that plugins would find; empty where there is none.
std::string nccl_version() {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    const auto get = library ? reinterpret_cast<int (*)(int*)>(dlsym(library, "ncclGetVersion")) : nullptr;
    int number = 0;
    if (get == nullptr || get(&number) != 0) return {};
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
}

}  // namespace

GpuInfo query_gpu(const Nvml& nvml) {
    GpuInfo gpu;
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        gpu.problem =
            std::string("no GPU answers: ") + (error == cudaSuccess ? "none found" : cudaGetErrorString(error));
        return gpu;
    }
    cudaDeviceProp properties{};
    must<NoDevice>(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    gpu.name = properties.name;
    gpu.compute_capability = 10 * properties.major + properties.minor;
    gpu.multiprocessors = properties.multiProcessorCount;
    gpu.memory_bytes = int64_t(properties.totalGlobalMem);
    const GpuRates rates = gpu_rates();
    gpu.fp32_tflops = rates.fp32_flops * 1e-12;
    gpu.memory_gb_s = rates.memory_bytes * 1e-9;
    gpu.uuid = text_of(properties.uuid);
    for (int i = 0; i < devices; ++i) {
        cudaDeviceProp each{};
        must<NoDevice>(cudaGetDeviceProperties(&each, i), "cudaGetDeviceProperties");
        gpu.uuids.push_back(text_of(each.uuid));
    }
    gpu.links = nvml.links(gpu.uuid);
    gpu.nccl = nccl_version();
    int supported = 0, runtime = 0;
    cudaDriverGetVersion(&supported);
    gpu.driver = nvml.driver_version().value_or("for CUDA " + version(supported));
    cudaRuntimeGetVersion(&runtime);
    gpu.cuda_runtime = version(runtime);
    return gpu;
}

}  // namespace judge
#endif
