#include <cuda_runtime.h>

#include <cmath>
#include <string>

#include "../catch.h"

namespace {

__constant__ float factors[4];
__device__ int answer = 41;

__global__ void scale(float* values) {
    values[threadIdx.x] *= factors[threadIdx.x];
}

}  // namespace

TEST_CASE("memory from cudaMalloc is 256-byte aligned and full of NaN") {
    float* values = nullptr;
    REQUIRE(cudaMalloc(&values, 100 * sizeof(float)) == cudaSuccess);
    CHECK(reinterpret_cast<uintptr_t>(values) % 256 == 0);
    for (int i = 0; i < 100; ++i) CHECK(std::isnan(values[i]));
    CHECK(cudaMemset(values, 0, 100 * sizeof(float)) == cudaSuccess);
    CHECK(values[99] == 0.0f);
    CHECK(cudaFree(values) == cudaSuccess);
    CHECK(cudaFree(nullptr) == cudaSuccess);
}

TEST_CASE("errors have the codes and names of the real runtime, and cudaGetLastError clears them") {
    CHECK(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue");
    CHECK(std::string(cudaGetErrorString(cudaErrorInvalidConfiguration)) == "invalid configuration argument");
    int not_allocated = 0;
    CHECK(cudaFree(&not_allocated) == cudaErrorInvalidValue);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);

    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, size_t{1} << 60) == cudaErrorMemoryAllocation);
    CHECK(memory == nullptr);
    CHECK(cudaMemcpy(nullptr, &not_allocated, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemset(nullptr, 0, 4) == cudaErrorInvalidValue);
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}

TEST_CASE("a pointer is freed once") {
    void* memory = nullptr;
    REQUIRE(cudaMalloc(&memory, 16) == cudaSuccess);
    CHECK(cudaFree(memory) == cudaSuccess);
    CHECK(cudaFree(memory) == cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST_CASE("copies") {
    const int source[6] = {1, 2, 3, 4, 5, 6};
    int target[6] = {};
    CHECK(cudaMemcpy(target, source, sizeof(source), cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(target[5] == 6);
    int narrow[4] = {};
    CHECK(cudaMemcpy2D(narrow, 8, source, 12, 8, 2, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK((narrow[0] == 1 && narrow[1] == 2 && narrow[2] == 4 && narrow[3] == 5));
    CHECK(cudaMemcpy2D(narrow, 4, source, 12, 8, 2, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    cudaGetLastError();
}

TEST_CASE("symbols") {
    const float host[4] = {1, 2, 3, 4};
    CHECK(cudaMemcpyToSymbol(factors, host, sizeof(host)) == cudaSuccess);
    float values[4] = {10, 10, 10, 10};
    scale<<<1, 4>>>(values);
    CHECK(values[3] == 40.0f);
    int copy = 0;
    CHECK(cudaMemcpyFromSymbol(&copy, answer, sizeof(copy)) == cudaSuccess);
    CHECK(copy == 41);
    CHECK(cudaMemcpyToSymbol(factors, host, sizeof(host), 4) == cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST_CASE("events measure time between two records") {
    cudaEvent_t start = nullptr, end = nullptr, silent = nullptr;
    REQUIRE(cudaEventCreate(&start) == cudaSuccess);
    REQUIRE(cudaEventCreate(&end) == cudaSuccess);
    REQUIRE(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming) == cudaSuccess);
    float elapsed = -1;
    CHECK(cudaEventElapsedTime(&elapsed, start, end) == cudaErrorInvalidResourceHandle);  // not recorded
    CHECK(cudaEventRecord(start) == cudaSuccess);
    float values[4] = {};
    scale<<<1, 4>>>(values);
    CHECK(cudaEventRecord(end) == cudaSuccess);
    CHECK(cudaEventRecord(silent) == cudaSuccess);
    CHECK(cudaEventSynchronize(end) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&elapsed, start, end) == cudaSuccess);
    CHECK(elapsed > 0.0f);
    CHECK(cudaEventElapsedTime(&elapsed, start, silent) == cudaErrorInvalidResourceHandle);
    for (cudaEvent_t event : {start, end, silent}) CHECK(cudaEventDestroy(event) == cudaSuccess);
    cudaGetLastError();
}

TEST_CASE("the device describes itself") {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    CHECK(properties.maxThreadsPerBlock == 1024);
    int optin = 0, blocks = 0;
    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess);
    CHECK(optin == 232448);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0) == cudaSuccess);
    CHECK(blocks == 8);
}
