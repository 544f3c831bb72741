#include <cuda_runtime.h>

#include <cmath>
#include <vector>

#include "../../plugins/common/ptx/cp_async.h"
#include "../catch.h"
#include "environment.h"

namespace {

constexpr int kCopiers = 64;
constexpr int kTiles = 3;

struct alignas(16) Buffer {
    float values[kCopiers * 4 + 4];
};

// Reverses 256 floats, 4 a thread.
template <bool kWait, bool kBarrier>
__global__ void reverse(const float* in, float* out) {
    __shared__ alignas(16) float tile[kCopiers * 4];
    ladder::AsyncCopies copies;
    copies.copy16(&tile[4 * threadIdx.x], in + 4 * threadIdx.x, true);
    copies.commit();
    if (kWait) copies.wait<0>();
    if (kBarrier) __syncthreads();
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = tile[kCopiers * 4 - 1 - 4 * threadIdx.x - i];
}

// Sums `steps` tiles of 64 floats, each read by another thread than copied it, through three stages.
template <int kPending, bool kBarrier>
__global__ void sum_tiles(const float* in, float* out, int steps) {
    __shared__ float tile[kTiles][kCopiers];
    ladder::AsyncCopies copies;
    const auto request = [&](int step) {
        copies.copy4(&tile[step % kTiles][threadIdx.x], in + step * kCopiers + threadIdx.x, step < steps);
        copies.commit();
    };
    for (int step = 0; step < kTiles - 1; ++step) request(step);
    float sum = 0.0f;
    for (int step = 0; step < steps; ++step) {
        copies.wait<kPending>();
        if (kBarrier) __syncthreads();
        request(step + kTiles - 1);  // over the tile of the step before
        sum += tile[step % kTiles][kCopiers - 1 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

__global__ void zeros(const float* in, float* out, int inside) {
    __shared__ alignas(16) float tile[kCopiers * 4];
    ladder::AsyncCopies copies;
    const bool mine = int(threadIdx.x) < inside;
    copies.copy16(&tile[4 * threadIdx.x], mine ? in + 4 * threadIdx.x : nullptr, mine);
    copies.commit();
    copies.wait<0>();
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = tile[4 * threadIdx.x + i];
}

Buffer counted() {
    Buffer buffer;
    for (int i = 0; i < kCopiers * 4 + 4; ++i) buffer.values[i] = float(i);
    return buffer;
}

using Reverse = void (*)(const float*, float*);
int wrongly_reversed(Reverse kernel) {
    const Buffer in = counted();
    Buffer out = {};
    kernel<<<1, kCopiers>>>(in.values, out.values);
    CHECK(cudaGetLastError() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < kCopiers * 4; ++i) wrong += out.values[i] != in.values[kCopiers * 4 - 1 - i];
    return wrong;
}

using Sum = void (*)(const float*, float*, int);
int wrongly_summed(Sum kernel) {
    constexpr int kSteps = 7;
    std::vector<float> in(kSteps * kCopiers), out(kCopiers);
    for (size_t i = 0; i < in.size(); ++i) in[i] = float(i % 97);
    kernel<<<1, kCopiers>>>(in.data(), out.data(), kSteps);
    CHECK(cudaGetLastError() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < kCopiers; ++i) {
        float want = 0;
        for (int step = 0; step < kSteps; ++step) want += in[step * kCopiers + kCopiers - 1 - i];
        wrong += out[i] != want;
    }
    return wrong;
}

}  // namespace

TEST_CASE("asynchronous copies are there after the wait and a barrier, and not without either") {
    for (int seed = 0; seed < 10; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        CHECK(wrongly_reversed(reverse<true, true>) == 0);
        CHECK(wrongly_reversed(reverse<false, true>) == kCopiers * 4);
        CHECK(wrongly_reversed(reverse<true, false>) > 0);
    }
}

TEST_CASE("a pipeline of asynchronous copies needs a wait for the oldest group, and a barrier a step") {
    for (int seed = 0; seed < 10; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        CHECK(wrongly_summed(sum_tiles<kTiles - 2, true>) == 0);
        CHECK(wrongly_summed(sum_tiles<0, true>) == 0);
        CHECK(wrongly_summed(sum_tiles<kTiles - 1, true>) == kCopiers);
        CHECK(wrongly_summed(sum_tiles<kTiles - 2, false>) > 0);
    }
}

TEST_CASE("an asynchronous copy from outside a matrix writes zeros") {
    const Buffer in = counted();
    Buffer out = in;
    zeros<<<1, kCopiers>>>(in.values, out.values, 10);
    int wrong = 0;
    for (int i = 0; i < kCopiers * 4; ++i) wrong += out.values[i] != (i < 40 ? in.values[i] : 0.0f);
    CHECK(wrong == 0);
}
