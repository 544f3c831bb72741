#include <cuda_runtime.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../plugins/common/ptx/mma.h"
#include "../catch.h"
#include "environment.h"
#include "messages.h"

namespace {

// A is 16 x 8, B is 8 x 8, D is 16 x 8, row by row.
__device__ void load(const float* A, const float* B, uint32_t (&a)[4], uint32_t (&b)[2], bool rounded) {
    const auto operand = [&](float value) { return rounded ? ladder::to_tf32(value) : __float_as_uint(value); };
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    for (int i = 0; i < 4; ++i) a[i] = operand(A[(g + i % 2 * 8) * 8 + t + i / 2 * 4]);
    for (int i = 0; i < 2; ++i) b[i] = operand(B[(t + 4 * i) * 8 + g]);
}

__global__ void multiply(const float* A, const float* B, float* D, bool rounded) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, first = threadIdx.x / 32 * 128;
    uint32_t a[4], b[2];
    load(A, B, a, b, rounded);
    float d[4];
    for (int i = 0; i < 4; ++i) d[i] = D[first + (g + i / 2 * 8) * 8 + 2 * t + i % 2];
    ladder::mma_m16n8k8_tf32(d, a, b);
    for (int i = 0; i < 4; ++i) D[first + (g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

// What the lane `strange` does instead: 0 leaves, 1 waits for its warp, 2 executes another mma, 3 waits for its block.
__global__ void one_lane_apart(float* out, int strange, int what) {
    float d[4] = {};
    const uint32_t a[4] = {}, b[2] = {};
    if (int(threadIdx.x) == strange && what == 0) return;
    if (int(threadIdx.x) == strange && what == 1) __syncwarp();
    if (int(threadIdx.x) == strange && what == 2) {
        ladder::mma_m16n8k8_tf32(d, a, b);
    } else if (int(threadIdx.x) == strange && what == 3) {
        __syncthreads();
    } else {
        ladder::mma_m16n8k8_tf32(d, a, b);  // line 43
    }
    out[threadIdx.x] = d[0];
}

__global__ void beside_shuffles(int* out) {
    float d[4] = {};
    const uint32_t a[4] = {__float_as_uint(1.0f)}, b[2] = {__float_as_uint(1.0f)};
    ladder::mma_m16n8k8_tf32(d, a, b);
    const int value = __shfl_xor_sync(0xffffffff, int(threadIdx.x), 1);
    ladder::mma_m16n8k8_tf32(d, a, b);
    out[threadIdx.x] = value + 1000 * int(d[0]);
}

std::vector<float> integers(int count, int factor) {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i) values[i] = float(i * factor % 61 - 30);
    return values;
}

// The nearest number with 11 significant bits, ties away from zero.
float nearest_tf32(float value) {
    int exponent;
    const float fraction = std::frexp(value, &exponent);
    return std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11);
}

float read_by_unit(uint32_t operand) {
    return __uint_as_float(operand & 0xffffe000u);
}

}  // namespace

TEST_CASE("mma.sync adds the product of two fragments, element by element") {
    const std::vector<float> a = integers(128, 7), b = integers(64, 11), c = integers(3 * 128, 5);
    for (int seed = 0; seed < 5; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        std::vector<float> d = c;
        multiply<<<1, 96>>>(a.data(), b.data(), d.data(), false);
        CHECK(cudaGetLastError() == cudaSuccess);
        int wrong = 0;
        for (int i = 0; i < 3 * 128; ++i) {
            float want = c[i];
            for (int k = 0; k < 8; ++k) want += a[i % 128 / 8 * 8 + k] * b[k * 8 + i % 8];
            wrong += d[i] != want;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("mma.sync cuts its operands to TF32, and to_tf32 before it rounds them to the nearest") {
    std::vector<float> a(128, 0.0f), b(64, 0.0f), d(128, 0.0f);
    a[0] = 1.0f + 0x1.8p-11f;  // three quarters of the way from 1 to the next TF32 number
    b[0] = 1.0f;
    multiply<<<1, 32>>>(a.data(), b.data(), d.data(), false);
    CHECK(d[0] == 1.0f);
    d[0] = 0.0f;
    multiply<<<1, 32>>>(a.data(), b.data(), d.data(), true);
    CHECK(d[0] == 1.0f + 0x1p-10f);
}

TEST_CASE("to_tf32 rounds to the nearest, ties away from zero, at every magnitude") {
    int wrong = 0, values = 0;
    uint32_t bits = 12345;
    for (int i = 0; i < 200000; ++i) {
        bits = bits * 1664525u + 1013904223u;
        uint32_t pattern = i % 4 == 0   ? (bits & 0xfffff000u)
                           : i % 4 == 1 ? (bits | 0xfffu)
                                        : bits;  // near the ties too
        const float value = __uint_as_float(pattern);
        if (!std::isnormal(value)) continue;
        ++values;
        wrong += read_by_unit(ladder::to_tf32(value)) != nearest_tf32(value);
    }
    CHECK(values > 190000);
    CHECK(wrong == 0);
}

TEST_CASE("to_tf32 keeps what TF32 can hold, infinities, NaN and zeros") {
    for (const float value : {1.0f, -3.0f, 2047.0f, 0x1p-126f, 0x1.ffcp127f, 0.0f, -0.0f}) {
        CHECK(read_by_unit(ladder::to_tf32(value)) == value);
        CHECK(std::signbit(read_by_unit(ladder::to_tf32(value))) == std::signbit(value));
    }
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK(read_by_unit(ladder::to_tf32(infinity)) == infinity);
    CHECK(read_by_unit(ladder::to_tf32(-infinity)) == -infinity);
    // A GPU's own NaN has all bits set: one more in the last place would make it -0.
    for (const uint32_t nan : {0x7fffffffu, 0xffffffffu, 0x7fc00000u, 0x7ffff000u}) {
        CHECK(std::isnan(read_by_unit(ladder::to_tf32(__uint_as_float(nan)))));
    }
}

TEST_CASE("mma.sync carries NaN and infinities to the elements that need them, and nowhere else") {
    std::vector<float> a = integers(128, 7), b = integers(64, 11), d(128, 0.0f);
    a[9 * 8 + 5] = std::numeric_limits<float>::quiet_NaN();
    b[2 * 8 + 6] = std::numeric_limits<float>::infinity();
    multiply<<<1, 32>>>(a.data(), b.data(), d.data(), true);
    int misplaced = 0;
    for (int i = 0; i < 128; ++i) misplaced += std::isfinite(d[i]) == (i / 8 == 9 || i % 8 == 6);
    CHECK(misplaced == 0);
}

TEST_CASE("a lane that does not take part in an mma.sync is a fault") {
    std::vector<float> out(64);
    one_lane_apart<<<1, 64>>>(out.data(), -1, 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int lane : {0, 31, 40}) {
        one_lane_apart<<<1, 64>>>(out.data(), lane, 0);
        std::string text = fault();
        INFO(text);
        CHECK(text.find("mma_test.cu:44: 1 of the warp's 32 threads is not at this mma.sync") != std::string::npos);

        one_lane_apart<<<1, 64>>>(out.data(), lane, 1);
        text = fault();
        INFO(text);
        CHECK(text.find("1 of the warp's 32 threads is not at this mma.sync") != std::string::npos);

        one_lane_apart<<<1, 64>>>(out.data(), lane, 2);
        text = fault();
        INFO(text);
        CHECK(text.find("but at the mma.sync in line") != std::string::npos);

        one_lane_apart<<<1, 64>>>(out.data(), lane, 3);
        text = fault();
        INFO(text);
        CHECK(text.find("wait at mma.sync() in") != std::string::npos);
    }
    one_lane_apart<<<1, 64>>>(out.data(), -1, 0);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("mma.sync and shuffles do not get into each other's way") {
    for (int seed = 0; seed < 5; ++seed) {
        const Environment fixed("EMULATOR_SEED", seed);
        std::vector<int> out(64);
        beside_shuffles<<<1, 64>>>(out.data());
        CHECK(cudaGetLastError() == cudaSuccess);
        for (int i = 0; i < 64; ++i) CHECK(out[i] == (i ^ 1) + 8000);
    }
}
