#include <cuda_runtime.h>

#include <cmath>
#include <string>
#include <vector>

#include "../../plugins/common/ptx/bulk_copy.h"
#include "../catch.h"
#include "environment.h"

namespace {

constexpr int kFloats = 64, kStages = 2, kSteps = 9;

// Thread 32 fills a ring, warp 0 sums what is in it. Of each step `announced` bytes are announced, in two arrivals.
__global__ void sum(const float* in, float* out, unsigned announced, bool waits, int misaligned) {
    __shared__ alignas(16) float tile[kStages][kFloats];
    __shared__ ladder::Mbarrier full[kStages], empty[kStages];
    if (threadIdx.x == 0) {
        for (int i = 0; i < kStages; ++i) full[i].init(2), empty[i].init(32);
        ladder::show_barriers_to_copies();
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        for (int step = 0; step < kSteps; ++step) {
            const int stage = step % kStages, parity = step / kStages % 2;
            empty[stage].wait(parity ^ 1);
            full[stage].arrive_expecting(announced - 128);
            full[stage].arrive_expecting(128);
            for (int half = 0; half < 2; ++half) {
                ladder::bulk_copy(&tile[stage][half * kFloats / 2],
                                  in + step * kFloats + half * kFloats / 2 + misaligned, sizeof(float) * kFloats / 2,
                                  full[stage]);
            }
        }
    } else if (threadIdx.x < 32) {
        float total = 0.0f;
        for (int step = 0; step < kSteps; ++step) {
            const int stage = step % kStages, parity = step / kStages % 2;
            if (waits) full[stage].wait(parity);
            total += tile[stage][threadIdx.x] + tile[stage][threadIdx.x + 32];
            empty[stage].arrive();
        }
        out[threadIdx.x] = total;
    }
}

int wrong_sums(unsigned announced, bool waits, std::string& text, int misaligned = 0) {
    std::vector<float> in(kSteps * kFloats + 4), out(32, NAN);
    for (size_t i = 0; i < in.size(); ++i) in[i] = float(i % 97);
    sum<<<1, 33>>>(in.data(), out.data(), announced, waits, misaligned);
    text = cudaGetErrorString(cudaGetLastError());
    cudaDeviceReset();
    int wrong = 0;
    for (int i = 0; i < 32; ++i) {
        float want = 0;
        for (int step = 0; step < kSteps; ++step) want += in[step * kFloats + i] + in[step * kFloats + i + 32];
        wrong += !(out[i] == want);
    }
    return wrong;
}

}  // namespace

TEST_CASE("bulk copies are there when all their bytes are, and not without the wait") {
    for (int seed = 0; seed < 5; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        std::string text;
        CHECK(wrong_sums(sizeof(float) * kFloats, true, text) == 0);
        CHECK(text == "no error");
        CHECK(wrong_sums(sizeof(float) * kFloats, false, text) == 32);
    }
}

TEST_CASE("a phase that more bytes are announced to than copied is never complete") {
    std::string text;
    CHECK(wrong_sums(sizeof(float) * kFloats + 16, true, text) == 32);
    INFO(text);
    CHECK(text.find("wait at Mbarrier::wait()") != std::string::npos);
}
