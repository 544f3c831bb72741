// Which GPU answers, and with which driver.
#include <dlfcn.h>

#include "device_cuda_memory.h"

namespace judge {

namespace {

std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

// The driver's own version, which the CUDA runtime does not tell; NVML comes with the driver.
std::string driver_version() {
    if (void* const nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
        const auto init = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlInit_v2"));
        const auto get_version = reinterpret_cast<int (*)(char*, unsigned)>(dlsym(nvml, "nvmlSystemGetDriverVersion"));
        const auto shutdown = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlShutdown"));
        char text[80] = "";
        if (init && get_version && shutdown && init() == 0) {
            const bool known = get_version(text, sizeof(text)) == 0;
            shutdown();
            if (known) return text;
        }
    }
    int cuda = 0;
    cudaDriverGetVersion(&cuda);
    return "for CUDA " + version(cuda);
}

}  // namespace

GpuInfo query_gpu() {
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
    gpu.driver = driver_version();
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    gpu.cuda_runtime = version(runtime);
    return gpu;
}

}  // namespace judge
