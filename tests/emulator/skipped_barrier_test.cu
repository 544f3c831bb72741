#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "../catch.h"

namespace {

__global__ void leaves_early(int* out, int staying) {
    if (int(threadIdx.x) >= staying) return;
    __syncthreads();  // line 12
    out[threadIdx.x] = 1;
}

__global__ void two_barriers(int* out, int first) {
    if (int(threadIdx.x) < first) {
        __syncthreads();  // line 18
    } else {
        __syncthreads();  // line 20
    }
    out[threadIdx.x] = 1;
}

struct Counted {
    int* count;
    explicit Counted(int* count) : count(count) { atomicAdd(count, 1); }
    ~Counted() { atomicSub(count, 1); }
};

__global__ void leaves_objects(int* alive) {
    const Counted counted(alive);
    if (threadIdx.x == 0) return;
    __syncthreads();
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("threads that leave the kernel while others wait are a fault") {
    std::vector<int> out(64, 0);
    leaves_early<<<dim3(1, 1), 64>>>(out.data(), 40);
    const cudaError_t error = cudaDeviceSynchronize();
    CHECK(error == cudaErrorLaunchFailure);
    CHECK(error == 719);
    const std::string text = cudaGetErrorString(error);
    INFO(text);
    CHECK(contains(text, "leaves_early"));
    CHECK(contains(text, "block (0, 0, 0)"));
    CHECK(contains(text, "40 threads wait"));
    CHECK(contains(text, "24 threads have left"));
    CHECK(contains(text, "skipped_barrier_test.cu:12"));
    CHECK_FALSE(contains(text, "\n"));
    CHECK(out == std::vector<int>(64, 0));

    SECTION("which every later call returns") {
        CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
        CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
        leaves_early<<<1, 64>>>(out.data(), 64);
        CHECK(out == std::vector<int>(64, 0));
    }
    SECTION("until the device is reset") {
        cudaDeviceReset();
        leaves_early<<<1, 64>>>(out.data(), 64);
        CHECK(cudaGetLastError() == cudaSuccess);
        CHECK(out == std::vector<int>(64, 1));
    }
    cudaDeviceReset();
}

TEST_CASE("threads that wait at different barriers are a fault") {
    std::vector<int> out(64, 0);
    two_barriers<<<1, 64>>>(out.data(), 63);
    const std::string text = cudaGetErrorString(cudaGetLastError());
    INFO(text);
    CHECK(contains(text, "63 threads wait at __syncthreads() in"));
    CHECK(contains(text, "skipped_barrier_test.cu:18"));
    CHECK(contains(text, "1 thread waits at __syncthreads() in"));
    CHECK(contains(text, "skipped_barrier_test.cu:20"));
    CHECK(out == std::vector<int>(64, 0));
    cudaDeviceReset();
}

TEST_CASE("a fault names its block and stops the others") {
    std::vector<int> out(64, 0);
    leaves_early<<<dim3(1000, 3, 2), 64>>>(out.data(), 1);
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
