#include <cuda_runtime.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../plugins/common/ptx/mbarrier.h"
#include "../catch.h"
#include "environment.h"

namespace {

constexpr int kLanes = 32;
constexpr int kSlots = 3;

struct Ring {
    float tile[kSlots][kLanes];
    ladder::Mbarrier full[kSlots], empty[kSlots];
};

__device__ void init(Ring& ring) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < kSlots; ++i) ring.full[i].init(kLanes), ring.empty[i].init(kLanes);
    }
    __syncthreads();
}

// One warp copies `steps` tiles of 32 floats, another sums them, each lane what another lane copied.
template <bool kWaitFull, bool kWaitEmpty, int kParity>
__global__ void sum_tiles(const float* in, float* out, int steps) {
    __shared__ Ring ring;
    init(ring);
    const int lane = threadIdx.x % kLanes;
    if (threadIdx.x >= kLanes) {
        ladder::AsyncCopies copies;
        for (int step = 0; step < steps; ++step) {
            const int stage = step % kSlots, parity = step / kSlots % 2;
            if (kWaitEmpty) ring.empty[stage].wait(parity ^ 1);
            copies.copy4(&ring.tile[stage][lane], in + step * kLanes + lane, true);
            ring.full[stage].arrive_after(copies);
        }
        return;
    }
    float sum = 0.0f;
    for (int step = 0; step < steps; ++step) {
        const int stage = step % kSlots, parity = step / kSlots % 2;
        if (kWaitFull) ring.full[stage].wait(parity ^ kParity);
        sum += ring.tile[stage][kLanes - 1 - lane];
        ring.empty[stage].arrive();
    }
    out[lane] = sum;
}

// Passes a token around a warp: lane i waits for lane i - 1, which comes `rounds` times.
__global__ void relay(int* out, int rounds) {
    __shared__ ladder::Mbarrier turn[kLanes];
    __shared__ int token;
    if (threadIdx.x == 0) {
        for (ladder::Mbarrier& each : turn) each.init(1);
        token = 0;
    }
    __syncthreads();
    const int lane = threadIdx.x;
    if (lane == 0) turn[0].arrive();
    for (int round = 0; round < rounds; ++round) {
        turn[lane].wait(round % 2);
        if (token % kLanes == lane) ++token;
        turn[(lane + 1) % kLanes].arrive();
    }
    __syncthreads();
    if (lane == 0) *out = token;
}

__global__ void nobody_arrives() {
    __shared__ ladder::Mbarrier barrier;
    if (threadIdx.x == 0) barrier.init(2);
    __syncthreads();
    if (threadIdx.x == 0) barrier.arrive();
    barrier.wait(0);
}

// Wrong sums, of 32; all of them if the launch failed, since who misses a phase may wait for ever.
template <bool kWaitFull, bool kWaitEmpty, int kParity = 0>
int wrongly_summed() {
    constexpr int kSteps = 10;
    std::vector<float> in(kSteps * kLanes), out(kLanes, NAN);
    for (size_t i = 0; i < in.size(); ++i) in[i] = float(i % 97);
    sum_tiles<kWaitFull, kWaitEmpty, kParity><<<1, 2 * kLanes>>>(in.data(), out.data(), kSteps);
    cudaDeviceReset();
    int wrong = 0;
    for (int i = 0; i < kLanes; ++i) {
        float want = 0;
        for (int step = 0; step < kSteps; ++step) want += in[step * kLanes + kLanes - 1 - i];
        wrong += !(out[i] == want);
    }
    return wrong;
}

}  // namespace

TEST_CASE("copies are there after the wait for their mbarrier, and not without it") {
    for (int seed = 0; seed < 10; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        CHECK(wrongly_summed<true, true>() == 0);
        CHECK(wrongly_summed<false, true>() == kLanes);
        CHECK(wrongly_summed<true, true, 1>() == kLanes);  // for the phase before
    }
}

TEST_CASE("a copy into a stage that others still read gives wrong sums") {
    for (int seed = 0; seed < 10; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        CHECK(wrongly_summed<true, false>() > 0);
    }
}

TEST_CASE("an mbarrier goes through its phases in order, however often") {
    int token = 0;
    constexpr int kRounds = 10000;  // 320000 waits, more than a block may poll in vain
    relay<<<1, kLanes>>>(&token, kRounds);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(token == kRounds * kLanes);
}

TEST_CASE("a wait for an mbarrier at which too few arrive is a fault that names it") {
    nobody_arrives<<<1, kLanes>>>();
    const std::string text = cudaGetErrorString(cudaGetLastError());
    CHECK(text.find("32 threads wait at Mbarrier::wait() in") != std::string::npos);
    cudaDeviceReset();
}
