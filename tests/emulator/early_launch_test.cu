// launch_early() in the emulator: kernel<<<grid, threads, shared, stream>>>(arguments...), with the same errors.
#include "../../plugins/common/ptx/early_launch.h"

#include <vector>

#include "../catch.h"

namespace {

struct Seen {
    int threads;  // that ran, in all blocks
    dim3 grid, block;
    int number;
    int64_t wide;
    const float* pointer;
};

__global__ void look(Seen* seen, int number, int64_t wide, const float* pointer) {
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    atomicAdd(&seen->threads, 1);
    const bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0 && threadIdx.x == 0;
    if (!first) return;
    seen->grid = gridDim, seen->block = blockDim;
    seen->number = number, seen->wide = wide, seen->pointer = pointer;
}

__global__ void reverse_early(int* values) {
    extern __shared__ int shared[];
    const int i = threadIdx.x;
    shared[i] = values[i];
    __syncthreads();
    values[i] = shared[blockDim.x - 1 - i];
}

__global__ void count(int* launched) {
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    atomicAdd(launched, 1);
}

// The error of an early launch; checks that it is an ordinary one's.
cudaError_t error_after(dim3 grid, int threads, size_t shared) {
    int launched = 0;
    count<<<grid, threads, shared, nullptr>>>(&launched);
    const cudaError_t ordinary = cudaGetLastError();
    const int expected = launched;
    ladder::launch_early(count, grid, threads, shared, nullptr, &launched);
    const cudaError_t early = cudaGetLastError();
    CHECK(early == ordinary);
    CHECK(launched == 2 * expected);
    CHECK((launched > 0) == (early == cudaSuccess));
    CHECK(cudaGetLastError() == cudaSuccess);  // not sticky
    return early;
}

}  // namespace

TEST_CASE("an early launch is one with its grid, its threads and its arguments, on any stream") {
    cudaStream_t created = nullptr;
    REQUIRE(cudaStreamCreate(&created) == cudaSuccess);
    const float value = 0;
    for (const cudaStream_t stream : {cudaStream_t{nullptr}, created}) {
        Seen seen{};
        // The int converts to the kernel's int64_t.
        ladder::launch_early(look, dim3(2, 3, 4), 96, 0, stream, &seen, 7, -5, &value);
        REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
        CHECK(seen.threads == 2 * 3 * 4 * 96);
        CHECK((seen.grid.x == 2 && seen.grid.y == 3 && seen.grid.z == 4));
        CHECK((seen.block.x == 96 && seen.block.y == 1 && seen.block.z == 1));
        CHECK(seen.number == 7);
        CHECK(seen.wide == -5);
        CHECK(seen.pointer == &value);
    }
    CHECK(cudaStreamDestroy(created) == cudaSuccess);
}

TEST_CASE("an early launch has its dynamic shared memory") {
    std::vector<int> values(256), reversed(256);
    for (int i = 0; i < 256; ++i) values[i] = i, reversed[i] = 255 - i;
    ladder::launch_early(reverse_early, dim3(1), 256, 256 * sizeof(int), nullptr, values.data());
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(values == reversed);
}

TEST_CASE("an early launch over the limits leaves the error of an ordinary one") {
    CHECK(error_after(dim3(2), 1024, 49152) == cudaSuccess);
    CHECK(error_after(dim3(1), 1025, 0) == cudaErrorInvalidConfiguration);
    CHECK(error_after(dim3(1), 0, 0) == cudaErrorInvalidConfiguration);
    CHECK(error_after(dim3(0), 1, 0) == cudaErrorInvalidConfiguration);
    CHECK(error_after(dim3(1, 65536), 1, 0) == cudaErrorInvalidConfiguration);
    CHECK(error_after(dim3(1), 1, 49153) == cudaErrorInvalidValue);
    REQUIRE(cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000) == cudaSuccess);
    CHECK(error_after(dim3(1), 1, 100000) == cudaSuccess);
    CHECK(error_after(dim3(1), 1, 100001) == cudaErrorInvalidValue);
}
