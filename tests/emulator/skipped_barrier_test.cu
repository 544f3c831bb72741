#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../catch.h"
#include "environment.h"
#include "messages.h"

namespace {

__global__ void leaves_early(int* out, int staying) {
    __shared__ int values[64];
    if (int(threadIdx.x) >= staying) return;
    values[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = values[staying - 1 - threadIdx.x] + __syncthreads_count(1) - staying;
}

__global__ void two_barriers(int* out, int first) {
    if (int(threadIdx.x) < first) {
        __syncthreads();  // line 22
    } else {
        __syncthreads();  // line 24
    }
    out[threadIdx.x] = 1;
}

struct Counted {
    int* count;
    __device__ explicit Counted(int* count) : count(count) { atomicAdd(count, 1); }
    __device__ ~Counted() { atomicSub(count, 1); }
};

__global__ void leaves_objects(int* alive) {
    const Counted counted(alive);
    if (threadIdx.x == 0) {
        __syncthreads();
    } else {
        __syncthreads();
    }
}

__global__ void count_or_wait(int* out) {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        *out = __syncthreads_count(1);
    }
}

}  // namespace

TEST_CASE("threads that have left the kernel are not waited for") {
    for (int staying : {1, 31, 32, 40, 64}) {
        std::vector<int> out(64, 0), expected(64, 0);
        std::fill_n(expected.begin(), staying, 1);
        leaves_early<<<1, 64>>>(out.data(), staying);
        CHECK(cudaGetLastError() == cudaSuccess);
        CHECK(out == expected);
    }
}

TEST_CASE("threads of a warp that wait at different barriers are a fault") {
    std::vector<int> out(64, 0);
    two_barriers<<<dim3(1, 1), 64>>>(out.data(), 63);
    const cudaError_t error = cudaDeviceSynchronize();
    CHECK(error == cudaErrorLaunchFailure);
    CHECK(error == 719);
    const std::string text = cudaGetErrorString(error);
    INFO(text);
    CHECK(contains(text, "two_barriers"));
    CHECK(contains(text, "block (0, 0, 0)"));
    CHECK(contains(text, "63 threads wait at __syncthreads() in"));
    CHECK(contains(text, "skipped_barrier_test.cu:23"));
    CHECK(contains(text, "1 thread waits at __syncthreads() in"));
    CHECK(contains(text, "skipped_barrier_test.cu:25"));
    CHECK_FALSE(contains(text, "\n"));
    CHECK(out == std::vector<int>(64, 0));

    SECTION("which every later call returns") {
        CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
        CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
        two_barriers<<<1, 64>>>(out.data(), 64);
        CHECK(out == std::vector<int>(64, 0));
    }
    SECTION("until the device is reset") {
        cudaDeviceReset();
        two_barriers<<<1, 64>>>(out.data(), 64);
        CHECK(cudaGetLastError() == cudaSuccess);
        CHECK(out == std::vector<int>(64, 1));
    }
    cudaDeviceReset();
}

TEST_CASE("whole warps may wait at different barriers, unless the strict reading of the manual is asked for") {
    std::vector<int> out(64, 0);
    two_barriers<<<1, 64>>>(out.data(), 32);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(out == std::vector<int>(64, 1));

    const Environment strict("SOLVE_EMULATOR_STRICT", 1);
    two_barriers<<<1, 64>>>(out.data(), 32);
    CHECK(contains(cudaGetErrorString(cudaGetLastError()), "different barriers"));
    cudaDeviceReset();
}

TEST_CASE("barriers of different kinds are no barrier") {
    int out = 0;
    count_or_wait<<<1, 64>>>(&out);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    cudaDeviceReset();
}

TEST_CASE("a fault names its block and stops the others") {
    std::vector<int> out(64, 0);
    two_barriers<<<dim3(1000, 3, 2), 64>>>(out.data(), 1);
    CHECK(contains(cudaGetErrorString(cudaGetLastError()), "1 thread waits"));
    cudaDeviceReset();
}

TEST_CASE("an abandoned block unwinds its threads") {
    int alive = 0;
    leaves_objects<<<1, 128>>>(&alive);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(alive == 0);
    cudaDeviceReset();
}
