// What belongs to the host and what to the device, where a plugin is judged.
#ifndef __SANITIZE_ADDRESS__
#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "../../host/emulator/runtime/error.h"
#include "../../host/emulator/runtime/solve_call.h"
#include "../catch.h"
#include "environment.h"
#include "messages.h"

namespace {

__device__ float on_device[4];

__global__ void copy(const float* from, float* to, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}
__global__ void add_block(float* to) {
    *to += blockIdx.x;
}
__global__ void add_block_atomically(float* to) {
    atomicAdd(to, float(blockIdx.x));
}
// Blocks that write the halves of a word are no race.
__global__ void write_bytes(unsigned char* to) {
    to[blockIdx.x] = 1;
}

cudaError_t error_of_last_launch() {
    const cudaError_t error = cudaDeviceSynchronize();
    emulator::clear_fault();  // as cudaDeviceReset(), which is a fault of its own in a call
    cudaGetLastError();
    return error;
}

constexpr int kCount = 4096;  // four pages

// A, B and C as a caller hands them over, in a call of solve.
struct Call {
    Environment separate{"EMULATOR_SEPARATE_MEMORY", 1};
    std::vector<float> A = std::vector<float>(kCount, 1), B = A, C = A;
    emulator::SolveCall call{A.data(), B.data(), C.data(), 1, kCount, 1};
};

}  // namespace

TEST_CASE("a kernel that is given a pointer to host memory is a fault") {
    Call call;
    const float local[4] = {1, 2, 3, 4};
    const std::vector<float> heap(kCount, 2);
    for (const float* host : {local, &heap[kCount / 2]}) {  // not on a page that a matrix may have a part of
        copy<<<1, 32>>>(host, call.C.data(), 4);
        const std::string text = cudaGetErrorString(cudaPeekAtLastError());
        INFO(text);
        CHECK(contains(text, "copy is given a pointer to host memory, its pointer number 1"));
        CHECK(error_of_last_launch() == cudaErrorIllegalAddress);
    }
}

TEST_CASE("the device's memory, shared memory, variables and null are no host pointers") {
    Call call;
    float *allocated = nullptr, *pinned = nullptr;
    REQUIRE(cudaMalloc(&allocated, 4 * kCount) == cudaSuccess);
    REQUIRE(cudaMallocHost(&pinned, 64) == cudaSuccess);
    pinned[0] = 3;  // by the host, without a copy
    for (const float* from : {static_cast<const float*>(call.A.data()), static_cast<const float*>(allocated),
                              static_cast<const float*>(pinned), static_cast<const float*>(on_device)}) {
        copy<<<1, 32>>>(from, allocated, 4);
        CHECK(error_of_last_launch() == cudaSuccess);
    }
    copy<<<1, 32>>>(nullptr, allocated + kCount, 0);
    CHECK(error_of_last_launch() == cudaSuccess);
    cudaFree(allocated);
    cudaFreeHost(pinned);
}

TEST_CASE("a copy goes the way that its kind says") {
    Call call;
    std::vector<float> pages(kCount);
    float* const host = &pages[kCount / 2];  // nor here
    const size_t bytes = 4 * sizeof(float);
    CHECK(cudaMemcpy(host, call.A.data(), bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(host[3] == 1);
    CHECK(cudaMemcpy(call.C.data(), host, bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(host, call.A.data(), bytes, cudaMemcpyDefault) == cudaSuccess);
    CHECK(cudaMemcpy(host, call.A.data(), bytes, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(call.C.data(), host, bytes, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemset(host, 0, bytes) == cudaErrorInvalidValue);
    CHECK(cudaMemset(call.C.data(), 0, bytes) == cudaSuccess);
}

TEST_CASE("blocks that add to the same element without atomics are a fault, from the second launch on") {
    Call call;
    float* sum = nullptr;
    unsigned char* bytes = nullptr;
    REQUIRE(cudaMalloc(&sum, sizeof(float)) == cudaSuccess);
    REQUIRE(cudaMalloc(&bytes, 16) == cudaSuccess);
    for (int i = 0; i < 8; ++i) {
        cudaMemset(sum, 0, sizeof(float));
        add_block_atomically<<<16, 1>>>(sum);
        write_bytes<<<16, 1>>>(bytes);
        float result = 0;
        cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost);
        CHECK(result == 120);
    }
    CHECK(error_of_last_launch() == cudaSuccess);
    add_block<<<16, 1>>>(sum);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    add_block<<<16, 1>>>(sum);
    const std::string text = cudaGetErrorString(cudaPeekAtLastError());
    INFO(text);
    CHECK(contains(text, "add_block: two of its blocks write other values to the same element"));
    CHECK(error_of_last_launch() == cudaErrorLaunchFailure);
    cudaFree(sum);
    cudaFree(bytes);
}

TEST_CASE("memory that each call leaves behind is a leak, what the first of a shape allocates is not") {
    std::vector<float> matrix(64);
    std::vector<void*> kept;
    const auto call = [&](int size, bool keeps) {
        const emulator::SolveCall solve(matrix.data(), matrix.data(), matrix.data(), size, size, size);
        if (keeps) cudaMalloc(&kept.emplace_back(), 16);
    };
    for (int size : {2, 3, 4, 5}) call(size, true);
    CHECK(emulator::remark_on_calls() == nullptr);
    for (int size : {2, 3, 4}) call(size, true);
    CHECK(contains(emulator::remark_on_calls(), "each call leaves memory of cudaMalloc behind"));
    call(5, false);
    CHECK(emulator::remark_on_calls() == nullptr);
    for (void* memory : kept) cudaFree(memory);
}
#endif
