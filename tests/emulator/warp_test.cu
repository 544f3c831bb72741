#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../catch.h"
#include "environment.h"

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

// Even and odd lanes, each among themselves: the odd ones meet `more` times more often.
__global__ void two_halves(int* out, int more) {
    __shared__ int ring[32];
    const unsigned half = threadIdx.x % 2 ? 0xaaaaaaaa : 0x55555555;
    const int steps = threadIdx.x % 2 ? 3 + more : 3;
    ring[threadIdx.x] = threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        __syncwarp(half);
        const int next = ring[(threadIdx.x + 2) % 32];
        __syncwarp(half);
        ring[threadIdx.x] = next;
    }
    out[threadIdx.x] = ring[threadIdx.x];
}

// Lanes 8 to 31 wait for the warp while lanes 0 to 7 still meet among themselves.
__global__ void whole_beside_part(int* out) {
    __shared__ int value;
    if (threadIdx.x < 8) {
        for (int step = 0; step < 3; ++step) __syncwarp(0xff);
        if (threadIdx.x == 0) value = 7;
    }
    __syncwarp();
    out[threadIdx.x] = value;
}

__global__ void masks_do_not_match() {
    __syncwarp(threadIdx.x == 9 ? 0x200 : 0xffffffff);  // line 57
    __syncwarp(threadIdx.x == 9 ? 0x3ff : 0xffffffff);  // line 58
}

__global__ void not_in_its_mask() {
    __syncwarp(0xfffffffd);  // line 62
}

__global__ void warp_of_a_small_block(int* out) {
    __shared__ int ring[40];
    ring[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = ring[threadIdx.x ^ 7];
}

// Each step needs a barrier between its write and its read, and one between that and the next write.
template <bool kAfterWrite, bool kAfterRead>
__global__ void rotate(int* out, int steps) {
    __shared__ int ring[32];
    int value = threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        ring[threadIdx.x] = value;
        if (kAfterWrite) __syncwarp();
        value = ring[(threadIdx.x + 1) % 32];
        if (kAfterRead) __syncwarp();
    }
    out[threadIdx.x] = value;
}

// At which place each lane came before the barrier and after it.
__global__ void places_in_warp(int* next, int* before, int* after) {
    before[threadIdx.x] = atomicAdd(&next[0], 1);
    __syncwarp();
    after[threadIdx.x] = atomicAdd(&next[1], 1);
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

// Lanes from 20 on leave, the others take two branches and come together again.
__global__ void active_lanes(unsigned* out) {
    if (threadIdx.x >= 20) return;
    if (threadIdx.x % 2 == 0) {
        out[threadIdx.x] = __activemask();
        __syncwarp(out[threadIdx.x]);
    } else {
        out[threadIdx.x] = __activemask();
    }
    out[32 + threadIdx.x] = __activemask();
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

TEST_CASE("disjoint parts of a warp meet independently") {
    for (int seed = 0; seed < 5; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        for (const int more : {0, 1, 20}) {
            std::vector<int> out(32, -1);
            two_halves<<<1, 32>>>(out.data(), more);
            for (int i = 0; i < 32; ++i) CHECK(out[i] == (i + 2 * (i % 2 ? 3 + more : 3)) % 32);
        }
    }
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("lanes that meet in a smaller mask have not arrived where the whole warp waits") {
    for (int seed = 0; seed < 5; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        std::vector<int> out(32, -1);
        whole_beside_part<<<1, 32>>>(out.data());
        CHECK(out == std::vector<int>(32, 7));
    }
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("lanes that wait for each other with different masks are a fault") {
    masks_do_not_match<<<1, 32>>>();
    const std::string text = cudaGetErrorString(cudaGetLastError());
    INFO(text);
    CHECK(text.find("31 threads wait at __syncwarp() in") != std::string::npos);
    CHECK(text.find("warp_test.cu:57 with mask 0xffffffff, 1 thread waits") != std::string::npos);
    CHECK(text.find("warp_test.cu:58 with mask 0x3ff") != std::string::npos);
    cudaDeviceReset();
}

TEST_CASE("a lane that is not in the mask it waits with is a fault") {
    not_in_its_mask<<<1, 32>>>();
    const std::string text = cudaGetErrorString(cudaGetLastError());
    INFO(text);
    CHECK(text.find("warp_test.cu:62: __syncwarp: the mask 0xfffffffd lacks the thread's own lane 1") !=
          std::string::npos);
    cudaDeviceReset();
}

TEST_CASE("a warp waits for no lanes past the end of the block") {
    std::vector<int> out(40, -1);
    warp_of_a_small_block<<<1, 40>>>(out.data());
    for (int i = 0; i < 40; ++i) CHECK(out[i] == (i ^ 7));
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a missing warp barrier gives a wrong result") {
    const auto rotated = [](auto kernel) {
        std::vector<int> out(32, -1);
        kernel<<<1, 32>>>(out.data(), 5);
        int right = 0;
        for (int i = 0; i < 32; ++i) right += out[i] == (i + 5) % 32;
        return right == 32;
    };
    for (int seed = 0; seed < 5; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        CHECK(rotated(rotate<true, true>));
        CHECK_FALSE(rotated(rotate<false, true>));
        CHECK_FALSE(rotated(rotate<true, false>));
    }
}

TEST_CASE("each warp barrier shuffles its lanes anew") {
    int next[2] = {};
    std::vector<int> before(32), after(32);
    places_in_warp<<<1, 32>>>(next, before.data(), after.data());
    CHECK(after != before);
    std::sort(after.begin(), after.end());
    for (int i = 0; i < 32; ++i) CHECK(after[i] == i);
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

TEST_CASE("__activemask has the lanes of the branch, and no more") {
    unsigned out[64] = {};
    active_lanes<<<1, 32>>>(out);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int i = 0; i < 20; ++i) {
        INFO(i);
        CHECK(out[i] == (i % 2 ? 0xaaaaau : 0x55555u));
        CHECK(out[32 + i] == 0xfffffu);
    }
}
