// What a GPU's memory refuses ends the launch with a fault that names the kernel, the thread and the line.
#ifndef __SANITIZE_ADDRESS__
#include <cuda_runtime.h>

#include <string>

#include "../catch.h"

namespace {

__global__ void load_quad(const float* in, float* out, int offset) {
    if (threadIdx.x == 3) out[0] = reinterpret_cast<const float4*>(in + offset)->y;  // line 12
}
__global__ void store_pair(float* out, int offset) {
    *reinterpret_cast<float2*>(out + offset) = make_float2(1, 2);
}
__global__ void load_shared_quad(float* out, int offset) {
    __shared__ float tile[64];
    tile[threadIdx.x] = 1;
    __syncthreads();
    out[0] = reinterpret_cast<float4*>(&tile[offset])->x;
}
__global__ void load_double(const char* in, double* out) {
    *out = *reinterpret_cast<const double*>(in);
}

__global__ void overrun_static(int row, int column) {
    __shared__ float left[8], right[8][33];
    left[0] = 1;
    right[row][column] = left[0];
}
__global__ void overrun_dynamic(int i) {
    extern __shared__ float values[];
    values[i] = 1;
}

__global__ void store(float* out) {
    *out = 1;
}
__device__ int recurse(volatile int* depth) {
    volatile int frame[256] = {*depth};
    return frame[0] > 0 ? recurse(frame) + frame[1] : 0;
}
__global__ void overflow_stack(int* out) {
    volatile int one = 1;
    *out = recurse(&one);
}

struct Fault {
    cudaError_t error;
    std::string text;

    bool says(const char* part) const { return text.find(part) != std::string::npos; }
};

template <class Launch>
Fault fault_of(Launch launch) {
    launch();
    const cudaError_t error = cudaDeviceSynchronize();
    const Fault fault{error, cudaGetErrorString(error)};
    cudaDeviceReset();
    return fault;
}

}  // namespace

TEST_CASE("a vector access at an address that is not a multiple of its size is a misaligned address") {
    alignas(16) float in[8] = {}, out[8] = {};
    const Fault load = fault_of([&] { load_quad<<<2, 32>>>(in, out, 1); });
    INFO(load.text);
    CHECK(load.error == cudaErrorMisalignedAddress);
    CHECK(load.error == 716);
    CHECK(load.says("misaligned address: kernel load_quad, block ("));
    CHECK(load.says("thread (3, 0, 0)"));
    CHECK(load.says("faults_test.cu:12"));
    CHECK(load.says("float4"));
    CHECK(fault_of([&] { load_quad<<<2, 32>>>(in, out, 4); }).error == cudaSuccess);
    CHECK(fault_of([&] { store_pair<<<1, 1>>>(out, 3); }).error == cudaErrorMisalignedAddress);
    CHECK(out[3] == 0);
    CHECK(fault_of([&] { store_pair<<<1, 1>>>(out, 2); }).error == cudaSuccess);
    CHECK(fault_of([&] { load_shared_quad<<<1, 64>>>(out, 6); }).error == cudaErrorMisalignedAddress);
    CHECK(fault_of([&] { load_shared_quad<<<1, 64>>>(out, 8); }).error == cudaSuccess);
    alignas(8) char bytes[16] = {};
    double value;
    CHECK(fault_of([&] { load_double<<<1, 1>>>(bytes + 4, &value); }).error == cudaErrorMisalignedAddress);
    CHECK(fault_of([&] { load_double<<<1, 1>>>(bytes + 8, &value); }).error == cudaSuccess);
}

TEST_CASE("a fault returns from every call until the device is reset") {
    float out[4] = {};
    store_pair<<<1, 1>>>(out, 1);
    CHECK(cudaGetLastError() == cudaErrorMisalignedAddress);
    CHECK(cudaGetLastError() == cudaErrorMisalignedAddress);
    store_pair<<<1, 1>>>(out, 0);
    CHECK(out[0] == 0);
    cudaDeviceReset();
    store_pair<<<1, 1>>>(out, 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(out[0] == 1);
}

TEST_CASE("a write past a shared array is a fault that names the array") {
    const auto overrun = [](int row, int column) { return fault_of([=] { overrun_static<<<3, 32>>>(row, column); }); };
    CHECK(overrun(7, 32).error == cudaSuccess);
    const Fault fault = overrun(8, 0);
    INFO(fault.text);
    CHECK(fault.error == cudaErrorIllegalAddress);
    CHECK(fault.says("kernel overrun_static, block ("));
    CHECK(fault.says("wrote past the end of the shared array right, 1056 bytes: at byte 1056"));
    CHECK(overrun(0, -9).says("shared array left, 32 bytes"));
    CHECK(overrun(14, 0).says("shared array right"));
}

TEST_CASE("dynamic shared memory that the launch did not ask for cannot be used") {
    const auto overrun = [](size_t bytes, int i) { return fault_of([=] { overrun_dynamic<<<2, 1, bytes>>>(i); }); };
    CHECK(overrun(16, 3).error == cudaSuccess);
    CHECK(overrun(8192, 2047).error == cudaSuccess);
    const Fault none = overrun(0, 0);
    INFO(none.text);
    CHECK(none.error == cudaErrorIllegalAddress);
    CHECK(none.says("byte 0 of dynamic shared memory, of which the launch asked for 0 bytes"));
    CHECK(overrun(16, 4).says("the dynamic shared memory that the launch asked for, 16 bytes: at byte 16"));
    CHECK(overrun(16, 10000).says("asked for 16 bytes"));
    CHECK(overrun(8192, 2048).says("asked for 8192 bytes"));
}

TEST_CASE("an address that is none, and a stack overflow, are faults") {
    const Fault null = fault_of([] { store<<<2, 32>>>(nullptr); });
    INFO(null.text);
    CHECK(null.error == cudaErrorIllegalAddress);
    CHECK(null.error == 700);
    CHECK(null.says("an illegal memory access was encountered: kernel store, block ("));
    CHECK(null.says("null pointer"));
    CHECK(fault_of([] {
              store<<<1, 1>>>(reinterpret_cast<float*>(0x10000));
          }).says("0x10000, which is no device memory"));
    int out = 0;
    const Fault overflow = fault_of([&] { overflow_stack<<<1, 1>>>(&out); });
    INFO(overflow.text);
    CHECK(overflow.says("stack overflow"));
}
#endif
