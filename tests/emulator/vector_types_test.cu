#include <cuda_runtime.h>

#include <type_traits>
#include <vector>

#include "../catch.h"

static_assert(sizeof(float4) == 16 && alignof(float4) == 16);
static_assert(sizeof(float3) == 12 && alignof(float3) == 4);
static_assert(sizeof(float2) == 8 && alignof(float2) == 8);
static_assert(sizeof(double2) == 16 && alignof(double2) == 16);
static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4);
static_assert(std::is_trivially_default_constructible_v<float4> && std::is_trivially_default_constructible_v<uint3>);
static_assert(sizeof(dim3) == 12);

namespace {

__global__ void transpose_quads(const float* in, float* out) {
    __shared__ float tile[4][8];
    reinterpret_cast<float4*>(&tile[threadIdx.x][4])[0] = reinterpret_cast<const float4*>(in)[threadIdx.x];
    __syncthreads();
    const float4 column = make_float4(tile[0][4 + threadIdx.x], tile[1][4 + threadIdx.x], tile[2][4 + threadIdx.x],
                                      tile[3][4 + threadIdx.x]);
    *reinterpret_cast<float4*>(out + 4 * threadIdx.x) = column;
}

// The bits of a float array read as integers, between two writes through float.
__global__ void reads_as_integers(float* values, unsigned* bits) {
    values[0] = 1.0f;
    bits[0] = reinterpret_cast<uint4*>(values)->x;
    values[0] = 2.0f;
    bits[1] = reinterpret_cast<uint4*>(values)->x;
}

}  // namespace

TEST_CASE("128-bit loads and stores through float4") {
    float *in = nullptr, *out = nullptr;
    REQUIRE(cudaMalloc(&in, 64) == cudaSuccess);
    REQUIRE(cudaMalloc(&out, 64) == cudaSuccess);
    for (int i = 0; i < 16; ++i) in[i] = float(i);
    transpose_quads<<<1, 4>>>(in, out);
    for (int i = 0; i < 16; ++i) CHECK(out[i] == float(i % 4 * 4 + i / 4));
    cudaFree(in);
    cudaFree(out);
}

TEST_CASE("floats read through an integer vector are the floats just written") {
    alignas(16) float values[4] = {};
    unsigned bits[2] = {};
    reads_as_integers<<<1, 1>>>(values, bits);
    CHECK(bits[0] == 0x3f800000u);
    CHECK(bits[1] == 0x40000000u);
}
