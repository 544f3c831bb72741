// What published kernels use of CUDA's libraries: cuda::atomic, cuda::std, reductions, scans, thrust's algorithms.
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/std/limits>
#include <cuda/std/type_traits>

#include "../catch.h"

namespace {

__device__ cuda::atomic<unsigned, cuda::thread_scope_device> ticket{0};

__global__ void take_turns(int* order) {
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> last(order[8]);
    while (ticket.load(cuda::memory_order_acquire) != gridDim.x - 1 - blockIdx.x) {
    }
    order[last.fetch_add(1)] = int(blockIdx.x);
    int expected = -1;
    const bool exchanged = last.compare_exchange_strong(expected, 5);
    static_assert(cuda::std::is_same_v<decltype(exchanged), const bool>);
    if (!exchanged && expected <= cuda::std::numeric_limits<int>::max()) ticket += 1;
}

template <int kSize>
__device__ int size_of(cooperative_groups::thread_block_tile<kSize> tile) {
    return tile.size();
}

template <int kThreads>
__global__ void reduce(const float* from, float* out) {
    using Reduce = cub::BlockReduce<float, kThreads>;
    __shared__ typename Reduce::TempStorage storage;
    const float sum = Reduce(storage).Sum(from[threadIdx.x]);
    __syncthreads();
    const float most = Reduce(storage).Reduce(from[threadIdx.x], cub::Max());
    __shared__ cub::WarpReduce<float, 16>::TempStorage of_warp;
    const float part = cub::WarpReduce<float, 16>(of_warp).Sum(1.0f);
    const auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    const int scanned = cooperative_groups::exclusive_scan(tile, size_of<32>(tile) / 16);
    if (threadIdx.x == 0) out[0] = sum, out[1] = most, out[2] = part;
    if (threadIdx.x == 31) out[3] = float(scanned);
}

__global__ void add_untyped(int* sum, int summand) {
    *sum += summand;
}
template <int kFactor>
__global__ void add_times(int* sum, int summand) {
    *sum += kFactor * summand;
}

cudaError_t launch_untyped(const void* kernel, void** arguments) {
    return cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr);
}

}  // namespace

TEST_CASE("cuda::atomic passes turns on between blocks") {
    int order[9] = {};
    take_turns<<<4, 32>>>(order);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int i = 0; i < 4; ++i) CHECK(order[i] == 3 - i);
    CHECK(order[8] == 4);
}

TEST_CASE("CUB's reductions and the scans of cooperative groups") {
    float from[64], out[4] = {};
    for (int i = 0; i < 64; ++i) from[i] = float(i);
    reduce<64><<<1, 64>>>(from, out);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK((out[0] == 2016 && out[1] == 63 && out[2] == 16 && out[3] == 62));
}

TEST_CASE("thrust's algorithms, with a policy or without") {
    thrust::device_vector<int> numbers(10);
    thrust::sequence(numbers.begin(), numbers.end());
    thrust::sort(thrust::device, numbers.begin(), numbers.end(), thrust::greater<int>());
    CHECK(numbers[0] == 9);
    CHECK(thrust::reduce(numbers.begin(), numbers.end()) == 45);
    CHECK(thrust::reduce(numbers.begin(), numbers.end(), 1, thrust::maximum<int>()) == 9);
    CHECK(thrust::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0) == 285);
    CHECK(thrust::transform_reduce(numbers.begin(), numbers.end(), thrust::square<int>(), 0, thrust::plus<int>()) ==
          285);
    CHECK(*thrust::max_element(thrust::host, numbers.begin(), numbers.end()) == 9);
    int* const raw = numbers.data().get();
    thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::make_counting_iterator(10),
                     [raw](int i) { raw[i] = 2 * i; });
    thrust::transform(numbers.begin(), numbers.end(), numbers.begin(), thrust::negate<int>());
    const thrust::host_vector<int> host = numbers;
    CHECK(host[9] == -18);
    CHECK(thrust::raw_pointer_cast(numbers.data() + 1) == raw + 1);
}

TEST_CASE("a kernel is launched by its address alone, and with a configuration") {
    int value = 1, summand = 2;
    int* sum = &value;
    void* arguments[] = {&sum, &summand};
    CHECK(launch_untyped((const void*)add_untyped, arguments) == cudaSuccess);
    CHECK(value == 3);
    CHECK(cudaLaunchKernel((void*)add_times<5>, 1, 1, arguments, 0, 0) == cudaSuccess);
    CHECK(value == 13);
    CHECK(launch_untyped(&value, arguments) == cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);

    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t configuration = {0};
    configuration.gridDim = 2;
    configuration.blockDim = 1;
    configuration.attrs = attribute;
    configuration.numAttrs = 1;
    int counted = 0;
    CHECK(cudaLaunchKernelEx(&configuration, add_untyped, &counted, 3) == cudaSuccess);
    CHECK(counted == 6);
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim = {2, 1, 1};
    CHECK(cudaLaunchKernelEx(&configuration, add_untyped, &counted, 3) == cudaErrorNotSupported);
    CHECK(cudaGetLastError() == cudaErrorNotSupported);
    CHECK(counted == 6);
}
