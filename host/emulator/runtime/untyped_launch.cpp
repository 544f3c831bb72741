// Launches of a kernel by its address alone, and with attributes.
#include <map>
#include <mutex>

#include "../include/cuda_runtime_api.h"
#include "error.h"

namespace emulator {
namespace {

// A function, because kernels are made known by constructors that may run before this file's.
std::map<const void*, Invoke>& untyped_kernels() {
    static std::map<const void*, Invoke> all;
    return all;
}

}  // namespace

bool know_kernel(const void* function, Invoke invoke) {
    untyped_kernels()[function] = invoke;
    return true;
}

bool check_attributes(const cudaLaunchConfig_t& configuration) {
    for (unsigned i = 0; i < configuration.numAttrs; ++i) {
        const cudaLaunchAttribute& each = configuration.attrs[i];
        const auto& cluster = each.val.clusterDim;
        if (each.id == cudaLaunchAttributeClusterDimension && (cluster.x > 1 || cluster.y > 1 || cluster.z > 1)) {
            record(cudaErrorNotSupported, "cudaLaunchKernelEx: the emulator has no thread block clusters");
            return false;
        }
        if (each.id == cudaLaunchAttributeCooperative && each.val.cooperative) {
            record(cudaErrorNotSupported, "cudaLaunchKernelEx: the emulator has no cooperative launches");
            return false;
        }
    }
    return true;
}

}  // namespace emulator

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
    using namespace emulator;
    const auto found = untyped_kernels().find(function);
    if (found == untyped_kernels().end()) {
        return record(cudaErrorInvalidDeviceFunction,
                      "cudaLaunchKernel: at this address the emulator knows no kernel: pass the kernel itself, without "
                      "a cast to void*");
    }
    struct Bound {
        const void* function;
        void** arguments;
        Invoke invoke;
    } bound{function, arguments, found->second};
    Launch what{"cudaLaunchKernel",
                grid,
                block,
                shared,
                function,
                [](const void* opaque) {
                    const Bound& bound = *static_cast<const Bound*>(opaque);
                    bound.invoke(bound.function, bound.arguments);
                },
                &bound};
    what.stream = stream;
    launch(what);
    return cudaPeekAtLastError();
}
