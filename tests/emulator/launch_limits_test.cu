#include <cuda_runtime.h>

#include <string>

#include "../catch.h"

namespace {

__global__ void count_block(int* launched) {
    atomicAdd(launched, 1);
}
__global__ void count_too(int* launched) {
    atomicAdd(launched, 1);
}

constexpr int kMost = 64;

template <int kBlocks>
__global__ void __launch_bounds__(kMost, kBlocks) at_most_64(int* launched);

template <int kBlocks>
__global__ void __launch_bounds__(kMost, kBlocks) at_most_64(int* launched) {
    atomicAdd(launched, 1);
}
__global__ __launch_bounds__(sizeof(int[32])) void at_most_128(int* launched) {
    atomicAdd(launched, 1);
}

cudaError_t launch(dim3 grid, dim3 block, size_t shared = 0) {
    int launched = 0;
    count_block<<<grid, block, shared>>>(&launched);
    const cudaError_t error = cudaGetLastError();
    const bool ran = launched > 0;
    CHECK(ran == (error == cudaSuccess));
    CHECK(cudaGetLastError() == cudaSuccess);  // not sticky
    return error;
}

}  // namespace

TEST_CASE("blocks beyond the limits do not run") {
    CHECK(launch(1, 1024) == cudaSuccess);
    CHECK(launch(1, dim3(1, 1024)) == cudaSuccess);
    CHECK(launch(1, dim3(4, 4, 64)) == cudaSuccess);
    CHECK(launch(1, 1025) == cudaErrorInvalidConfiguration);
    CHECK(launch(1, dim3(32, 33)) == cudaErrorInvalidConfiguration);
    CHECK(launch(1, dim3(1, 1025)) == cudaErrorInvalidConfiguration);
    CHECK(launch(1, dim3(1, 1, 65)) == cudaErrorInvalidConfiguration);
    CHECK(launch(1, 0) == cudaErrorInvalidConfiguration);
    CHECK(launch(1, dim3(1, 0)) == cudaErrorInvalidConfiguration);
    CHECK(cudaErrorInvalidConfiguration == 9);
}

TEST_CASE("grids beyond the limits do not run") {
    CHECK(launch(dim3(1, 65535), 1) == cudaSuccess);
    CHECK(launch(dim3(70000), 1) == cudaSuccess);
    CHECK(launch(dim3(1, 65536), 1) == cudaErrorInvalidConfiguration);
    CHECK(launch(dim3(1, 1, 65536), 1) == cudaErrorInvalidConfiguration);
    CHECK(launch(dim3(0x80000000u), 1) == cudaErrorInvalidConfiguration);
    CHECK(launch(0, 1) == cudaErrorInvalidConfiguration);
}

TEST_CASE("dynamic shared memory beyond 48 KB needs the kernel's opt-in") {
    CHECK(launch(1, 1, 49152) == cudaSuccess);
    CHECK(launch(1, 1, 49153) == cudaErrorInvalidValue);

    CHECK(cudaFuncSetAttribute(count_block, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449) ==
          cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaFuncSetAttribute(count_too, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000) == cudaSuccess);
    CHECK(launch(1, 1, 49153) == cudaErrorInvalidValue);  // another kernel's opt-in

    CHECK(cudaFuncSetAttribute(count_block, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448) == cudaSuccess);
    CHECK(launch(1, 1, 232448) == cudaSuccess);
    CHECK(launch(1, 1, 232449) == cudaErrorInvalidValue);
    CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(count_block), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               0) == cudaSuccess);
    CHECK(launch(1, 1, 49153) == cudaErrorInvalidValue);
}

TEST_CASE("blocks beyond __launch_bounds__ do not run") {
    int launched = 0;
    at_most_64<2><<<2, dim3(8, 8)>>>(&launched);
    at_most_128<<<1, 128>>>(&launched);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(launched == 256);
    at_most_64<2><<<2, dim3(8, 9)>>>(&launched);
    CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    at_most_128<<<1, 129>>>(&launched);
    CHECK(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(launched == 256);
}

// What a library with `__constant__ char table[128 << 10]` does when it is loaded.
TEST_CASE("a library that holds more than 64 KB of __constant__ launches nothing") {
    const size_t bytes = 128 << 10;
    emulator::constant_variable(bytes);
    CHECK(launch(1, 1) == cudaErrorInvalidValue);
    emulator::constant_variable(size_t{0} - bytes);
    CHECK(launch(1, 1) == cudaSuccess);
}
