#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "../catch.h"

namespace {

__global__ void static_starts_as_nan(int* nans) {
    __shared__ float tile[4][8];
    if (std::isnan(tile[threadIdx.y][threadIdx.x])) atomicAdd(nans, 1);
    __syncthreads();
    tile[threadIdx.y][threadIdx.x] = 0.0f;  // the next block must not find this
}

template <class T, int kSize>
__global__ void sums(T* out) {
    __shared__ __align__(16) T left[kSize], right[2][kSize];
    static __shared__ volatile T last;
    left[threadIdx.x] = threadIdx.x;
    right[1][threadIdx.x] = 100 * threadIdx.x;
    if (threadIdx.x == kSize - 1) last = 7;
    __syncthreads();
    const int other = kSize - 1 - threadIdx.x;
    out[threadIdx.x] = left[other] + right[1][other] + last + (sizeof(right) == 2 * kSize * sizeof(T) ? 0 : 1000000);
}

__global__ void addresses(uintptr_t* out) {
    __shared__ char a;
    __shared__ float b[3];
    alignas(8) __shared__ struct { double x, y; } c;
    out[0] = reinterpret_cast<uintptr_t>(&a);
    out[1] = reinterpret_cast<uintptr_t>(b);
    out[2] = reinterpret_cast<uintptr_t>(&c);
}

struct alignas(2048) Aligned {
    float values[4];
};

template <int kAlignment>
__global__ void alignments(uintptr_t* out) {
    __shared__ char first;
    __shared__ __align__(16384) char second[5];
    __align__(kAlignment) __shared__ int third;
    alignas(256) static __shared__ float fourth[2], fifth[3];
    __shared__ Aligned sixth[2];
    extern __shared__ __align__(1024) char dynamic[];
    out[0] = reinterpret_cast<uintptr_t>(&first);
    out[1] = reinterpret_cast<uintptr_t>(second) % 16384;
    out[2] = reinterpret_cast<uintptr_t>(&third) % kAlignment;
    out[3] = reinterpret_cast<uintptr_t>(fourth) % 256 + reinterpret_cast<uintptr_t>(fifth) % 256;
    out[4] = reinterpret_cast<uintptr_t>(sixth) % 2048;
    out[5] = reinterpret_cast<uintptr_t>(dynamic) % 16384;
}

template <int kBytes>
__global__ void declares(int* ran) {
    __shared__ char big[kBytes];
    big[threadIdx.x] = 0;
    *ran = 1;
}

extern __shared__ float at_namespace_scope[];

__device__ float first_of_dynamic() {
    return at_namespace_scope[0];
}

__global__ void dynamic(float* out, int count) {
    extern __shared__ __align__(16) unsigned char bytes[];
    float* values = reinterpret_cast<float*>(bytes);
    bool all_nan = true;
    for (int i = 0; i < count; ++i) all_nan &= std::isnan(values[i]);
    __syncthreads();
    values[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = all_nan ? at_namespace_scope[count - 1 - threadIdx.x] : -1;
    if (threadIdx.x == 0 && first_of_dynamic() != 1.0f) out[0] = -2;
    if (reinterpret_cast<float4*>(at_namespace_scope) != reinterpret_cast<float4*>(bytes)) out[0] = -3;
}

}  // namespace

TEST_CASE("static shared memory starts as NaN in every block") {
    int nans = 0;
    static_starts_as_nan<<<5, dim3(8, 4)>>>(&nans);
    CHECK(nans == 5 * 32);
}

TEST_CASE("static shared variables of a template") {
    std::vector<int> ints(64);
    std::vector<double> doubles(32);
    sums<int, 64><<<1, 64>>>(ints.data());
    sums<double, 32><<<1, 32>>>(doubles.data());
    for (int i = 0; i < 64; ++i) CHECK(ints[i] == 101 * (63 - i) + 7);
    for (int i = 0; i < 32; ++i) CHECK(doubles[i] == 101 * (31 - i) + 7);
}

TEST_CASE("shared variables are aligned to 128 bytes and apart") {
    std::vector<uintptr_t> at(3);
    addresses<<<1, 1>>>(at.data());
    for (uintptr_t address : at) CHECK(address % 128 == 0);
    CHECK(at[1] - at[0] >= 128);
    CHECK(at[2] - at[1] >= 128);
}

TEST_CASE("shared variables have the alignment that they are declared with") {
    uintptr_t out[6] = {1, 1, 1, 1, 1, 1};
    alignments<4096><<<1, 1, 100>>>(out);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int i = 1; i < 6; ++i) CHECK(out[i] == 0);
}

TEST_CASE("dynamic shared memory has the launch's size, starts as NaN, and is one for all declarations") {
    std::vector<float> out(3 * 64, 0);
    dynamic<<<3, 64, 64 * sizeof(float)>>>(out.data(), 64);
    for (int i = 0; i < 3 * 64; ++i) CHECK(out[i] == 64 - i % 64);
}

TEST_CASE("48 KB of static shared memory is the most") {
    int ran = 0;
    declares<49152><<<1, 1>>>(&ran);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(ran == 1);
    ran = 0;
    declares<49152 + 16><<<1, 1>>>(&ran);
    const cudaError_t error = cudaGetLastError();
    CHECK(error == cudaErrorLaunchFailure);
    CHECK(std::string(cudaGetErrorString(error)).find("static shared memory") != std::string::npos);
    CHECK(ran == 0);
    cudaDeviceReset();
}

TEST_CASE("static and dynamic shared memory share one limit") {
    int ran = 0;
    declares<32768><<<1, 1, 16384>>>(&ran);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(ran == 1);
    ran = 0;
    declares<32768><<<1, 1, 16384 + 16>>>(&ran);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(ran == 0);
}
