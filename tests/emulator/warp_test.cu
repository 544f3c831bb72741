#include <cuda_runtime.h>

#include <vector>

#include "../catch.h"

namespace {

__global__ void sum_of_warp(const int* in, int* out) {
    int sum = in[threadIdx.x];
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
    out[threadIdx.x] = __shfl_sync(0xffffffff, sum, 0);
}

__global__ void votes(unsigned* out) {
    out[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x % 2) ^ (__any_sync(0xffffffff, threadIdx.x == 99) ? 1 : 0);
}

__global__ void first_lanes_only(int* out) {
    if (threadIdx.x >= 8) return;
    __shared__ int value;
    if (threadIdx.x == 5) value = 50;
    __syncwarp(0xff);
    out[threadIdx.x] = value + __shfl_xor_sync(0xff, int(threadIdx.x), 1);
}

__global__ void lane_is_missing() {
    if (threadIdx.x == 3)
        __syncthreads();
    else
        __syncwarp();
}

__global__ void polls(int* out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 40) flag = 1;
    ::emulator::wait_until([&] { return flag == 1; });
    out[threadIdx.x] = 1;
}

__global__ void polls_in_vain() {
    ::emulator::wait_until([] { return false; });
}

}  // namespace

TEST_CASE("shuffles and votes of a warp") {
    std::vector<int> in(96), out(96);
    for (int i = 0; i < 96; ++i) in[i] = i;
    sum_of_warp<<<1, 96>>>(in.data(), out.data());
    for (int i = 0; i < 96; ++i) CHECK(out[i] == 496 + 1024 * (i / 32));
    std::vector<unsigned> bits(64);
    votes<<<1, 64>>>(bits.data());
    CHECK(bits == std::vector<unsigned>(64, 0xaaaaaaaa));
}

TEST_CASE("a warp barrier waits for the lanes of its mask only") {
    std::vector<int> out(32, -1);
    first_lanes_only<<<1, 32>>>(out.data());
    for (int i = 0; i < 8; ++i) CHECK(out[i] == 50 + (i ^ 1));
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a lane that waits elsewhere is a fault") {
    lane_is_missing<<<1, 32>>>();
    const std::string text = cudaGetErrorString(cudaGetLastError());
    CHECK(text.find("31 threads wait at __syncwarp()") != std::string::npos);
    cudaDeviceReset();
}

TEST_CASE("a wait on memory lets the other threads run, and is a fault if nobody answers") {
    std::vector<int> out(64, 0);
    polls<<<1, 64>>>(out.data());
    CHECK(out == std::vector<int>(64, 1));
    polls_in_vain<<<1, 2>>>();
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    cudaDeviceReset();
}
