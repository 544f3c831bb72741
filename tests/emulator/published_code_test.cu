// What sources from elsewhere are written with.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <helper_cuda.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include <cmath>

#include "../catch.h"

namespace {

namespace cg = cooperative_groups;

struct Launcher {
    dim3 gridDim, blockDim;
    explicit Launcher(dim3 gridDim) : gridDim(gridDim), blockDim(3) {}
    void launch(int* out) const;
};

__global__ void shape(int* out, int factor = 10, int summand = 0) {
    *out = gridDim.x * factor + blockDim.x + summand;
}

void Launcher::launch(int* out) const {
    shape<<<gridDim, blockDim>>>(out, 100);
}

void launch_with(dim3 gridDim, const dim3& blockDim, int* out) {
    // clang-format off
    shape<< <gridDim, blockDim> >>(out);
    // clang-format on
}

__device__ int device_function(const dim3 blockDim) {
    return blockDim.x + threadIdx.x;
}

__global__ void with_own_name(int* out) {
    out[threadIdx.x] = device_function(dim3(7)) * 1000 + blockDim.x;
}

__host__ __device__ int which() {
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__ >= 700 ? 1 : 2;
#else
    return 0;
#endif
}

__global__ void intrinsics(float* out) {
    out[0] = __sinf(0.5f) + __int_as_float(0x3f800000) * which();
    out[1] = __fadd_rz(1.0f, 0x1p-25f) + __fmul_ru(1.0f + 0x1p-23f, 1.0f + 0x1p-23f);
    out[2] = __uint2float_ru(0x1000001u) - 0x1000002u +
             static_cast<float>(__float2int_rn(2.5f) + __popc(__activemask()) + __byte_perm(0x01020304, 0, 0x4443));
    out[3] = isfinite(out[0]) && clock64() > 0 ? __ldg(&out[0]) : 0.0f;
}

__global__ void groups(int* out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const int sum = cg::reduce(tile, static_cast<int>(block.thread_rank()), cg::plus<int>());
    block.sync();
    const int reduced = __reduce_add_sync(0xffffffff, 1) + __shfl_down(sum, 8);
    if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum * 10000 + reduced;
}

__global__ void pipelined(const float4* from, float* out, bool waits) {
    __shared__ float4 stage[2];
    __pipeline_memcpy_async(&stage[threadIdx.x], &from[threadIdx.x], sizeof(float4));
    __pipeline_commit();
    if (waits) __pipeline_wait_prior(0);
    out[threadIdx.x] = stage[threadIdx.x].w;
}

// Each block-wide stage is filled by all threads, and read by others than those that filled it.
__global__ void staged(const float* from, float* out, int stages) {
    __shared__ __align__(16) float stage[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, block.size());
    block.sync();
    auto pipe = cuda::make_pipeline(block, &state);
    float sum = 0;
    for (int i = 0; i < stages; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, stage, from + i * 64, cuda::aligned_size_t<16>(sizeof(stage)), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += stage[63 - threadIdx.x];
        pipe.consumer_release();
        barrier.arrive_and_wait();
    }
    out[threadIdx.x] = sum;
}

// Declared only: what is not called needs nobody to define it.
__global__ void random_numbers(float* out) {
    curandState state;
    curand_init(1, threadIdx.x, 0, &state);
    *out = curand_uniform(&state);
}

}  // namespace

TEST_CASE("host code may call its variables gridDim and blockDim, and launch with them") {
    int out = 0;
    const dim3 gridDim(4), blockDim(2);
    shape<<<gridDim, blockDim>>>(&out, 10, 0);
    CHECK(out == 42);
    launch_with(5, 3, &out);
    CHECK(out == 53);
    Launcher(2).launch(&out);
    CHECK(out == 203);
    const auto in_lambda = [&](dim3 blockDim) { shape<<<1, blockDim>>>(&out); };
    in_lambda(6);
    CHECK(out == 16);
    int both[2];
    with_own_name<<<1, 2>>>(both);
    CHECK(both[1] == 8002);
}

TEST_CASE("intrinsics, and code for a device") {
    float out[4];
    intrinsics<<<1, 1>>>(out);
    CHECK(std::fabs(out[0] - std::sin(0.5f) - 1.0f) < 1e-6f);
    CHECK(out[1] == 1.0f + (1.0f + 0x3p-23f));
    CHECK(out[2] == 2 + 1 + 1);
    CHECK(out[3] == out[0]);
}

TEST_CASE("cooperative groups within a block") {
    int out[4];
    groups<<<1, 32>>>(out);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    CHECK(out[0] == 28 * 10000 + 32 + 92);
    CHECK(out[3] == 220 * 10000 + 32 + 220);
}

TEST_CASE("__pipeline_memcpy_async arrives at the wait") {
    alignas(16) const float4 from[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    float out[2];
    pipelined<<<1, 2>>>(from, out, true);
    CHECK((out[0] == 4 && out[1] == 8));
    pipelined<<<1, 2>>>(from, out, false);
    CHECK(std::isnan(out[0]));
}

TEST_CASE("cuda::pipeline and cuda::barrier, with vectors of thrust") {
    thrust::host_vector<float> host(128);
    thrust::sequence(host.begin(), host.end());
    const thrust::device_vector<float> from = host;
    thrust::device_vector<float> out(64);
    staged<<<1, 64>>>(thrust::raw_pointer_cast(from.data()), thrust::raw_pointer_cast(&out[0]), 2);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    host = out;
    CHECK(host[0] == 63 + 127);
    CHECK(host[63] == 0 + 64);
}

TEST_CASE("calls that choose a policy, and memory that host and device share") {
    checkCudaErrors(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    checkCudaErrors(cudaFuncSetCacheConfig(shape, cudaFuncCachePreferShared));
    int grid = 0, block = 0, blocks = 0;
    checkCudaErrors(cudaOccupancyMaxPotentialBlockSize(&grid, &block, shape, 0, 256));
    CHECK((block == 256 && grid > 0));
    checkCudaErrors(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shape, block, 0));
    cudaFuncAttributes attributes;
    checkCudaErrors(cudaFuncGetAttributes(&attributes, shape));
    CHECK(attributes.maxThreadsPerBlock == 1024);
    float *host = nullptr, *device = nullptr;
    checkCudaErrors(cudaHostAlloc(&host, 16, cudaHostAllocMapped));
    checkCudaErrors(cudaHostGetDevicePointer(&device, host, 0));
    CHECK(device == host);
    checkCudaErrors(cudaFreeHost(host));
    size_t pitch = 0;
    checkCudaErrors(cudaMallocPitch(&device, &pitch, 100, 3));
    CHECK(pitch == 512);
    checkCudaErrors(cudaMemset2D(device, pitch, 0, 100, 3));
    checkCudaErrors(cudaFree(device));
    int value = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&value, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
    CHECK(value == 32);
}
