#include <cuda_runtime.h>

#include <vector>

#include "../catch.h"
#include "environment.h"

namespace {

constexpr int kThreads = 256;

__global__ void reverse(const int* in, int* out) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

// Needs both barriers of every step.
__global__ void rotate(int* out, int steps) {
    __shared__ int ring[kThreads];
    ring[threadIdx.x] = threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        __syncthreads();
        const int next = ring[(threadIdx.x + 1) % kThreads];
        __syncthreads();
        ring[threadIdx.x] = next;
    }
    out[threadIdx.x] = ring[threadIdx.x];
}

__global__ void without_barrier(const int* in, int* out) {
    __shared__ int tile[kThreads];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

// Lacks the barrier between the last read of a step and the write of the next one.
__global__ void rotate_without_second_barrier(int* out, int steps) {
    __shared__ int ring[kThreads];
    ring[threadIdx.x] = threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        __syncthreads();
        ring[threadIdx.x] = ring[(threadIdx.x + 1) % kThreads];
    }
    out[threadIdx.x] = ring[threadIdx.x];
}

__global__ void vote(int* count, int* any, int* all) {
    count[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0);
    any[threadIdx.x] = __syncthreads_or(threadIdx.x == 7);
    all[threadIdx.x] = __syncthreads_and(threadIdx.x != 7);
}

// At which place each thread came before the barrier and after it.
__global__ void places(int* next, int* before, int* after) {
    before[threadIdx.x] = atomicAdd(&next[0], 1);
    __syncthreads();
    after[threadIdx.x] = atomicAdd(&next[1], 1);
}

std::vector<int> counting() {
    std::vector<int> values(kThreads);
    for (int i = 0; i < kThreads; ++i) values[i] = i;
    return values;
}

bool is_reversed(const std::vector<int>& values) {
    for (int i = 0; i < kThreads; ++i) {
        if (values[i] != kThreads - 1 - i) return false;
    }
    return true;
}

bool is_rotated(const std::vector<int>& values, int steps) {
    for (int i = 0; i < kThreads; ++i) {
        if (values[i] != (i + steps) % kThreads) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("what is written before a barrier is seen after it, whatever the seed") {
    const std::vector<int> in = counting();
    for (int seed = 0; seed < 20; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        std::vector<int> out(kThreads, -1);
        reverse<<<1, kThreads>>>(in.data(), out.data());
        CHECK(is_reversed(out));
        rotate<<<1, kThreads>>>(out.data(), 9);
        CHECK(is_rotated(out, 9));
    }
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a missing barrier gives a wrong result") {
    const std::vector<int> in = counting();
    for (int seed = 0; seed < 5; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        std::vector<int> out(kThreads, -1);
        without_barrier<<<1, kThreads>>>(in.data(), out.data());
        CHECK_FALSE(is_reversed(out));
        rotate_without_second_barrier<<<1, kThreads>>>(out.data(), 9);
        CHECK_FALSE(is_rotated(out, 9));
    }
}

TEST_CASE("the seed alone settles the order of the threads") {
    const auto run = [](int seed, int threads) {
        const Environment fixed("EMULATOR_SEED", seed), cores("EMULATOR_THREADS", threads);
        std::vector<int> out(kThreads);
        rotate_without_second_barrier<<<1, kThreads>>>(out.data(), 9);
        return out;
    };
    CHECK(run(1, 1) == run(1, 4));
    CHECK(run(1, 1) != run(2, 1));
}

TEST_CASE("each barrier shuffles the threads anew") {
    int next[2] = {};
    std::vector<int> before(kThreads), after(kThreads);
    places<<<1, kThreads>>>(next, before.data(), after.data());
    CHECK(before != counting());
    CHECK(after != counting());
    CHECK(after != before);
}

TEST_CASE("a barrier that counts predicates") {
    std::vector<int> count(kThreads), any(kThreads), all(kThreads);
    vote<<<1, kThreads>>>(count.data(), any.data(), all.data());
    CHECK(count == std::vector<int>(kThreads, 86));
    CHECK(any == std::vector<int>(kThreads, 1));
    CHECK(all == std::vector<int>(kThreads, 0));
}
