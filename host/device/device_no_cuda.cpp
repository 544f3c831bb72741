// Stands in for device_cuda and its like where the program is built without the CUDA Toolkit.
#ifndef HAVE_CUDA
#include "device/device.h"

namespace judge {

namespace {
constexpr const char* kReason =
    "this program was built without the CUDA Toolkit: put nvcc on the PATH, then `make clean` and `make run`";
}

std::unique_ptr<Device> make_cuda_device() {
    throw NoDevice(kReason);
}

std::unique_ptr<Device> make_gpus_device(bool) {
    throw NoDevice(kReason);
}

GpuInfo query_gpu(const Nvml&) {
    GpuInfo gpu;
    gpu.problem = kReason;
    return gpu;
}

}  // namespace judge
#endif
