#include <cuda_runtime.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <set>
#include <thread>
#include <vector>

#include "../catch.h"
#include "environment.h"

namespace {

__global__ void visit(int* visits, int* wrong) {
    const dim3 grid = gridDim, block = blockDim;
    const int block_number = (blockIdx.z * grid.y + blockIdx.y) * grid.x + blockIdx.x;
    const int thread_number = (threadIdx.z * block.y + threadIdx.y) * block.x + threadIdx.x;
    atomicAdd(&visits[block_number * block.x * block.y * block.z + thread_number], 1);
    if (grid.x != 7 || grid.y != 5 || grid.z != 3 || block.x != 4 || block.y != 3 || block.z != 2) *wrong = 1;
    if (warpSize != 32) *wrong = 1;
}

// Waits until that many blocks run, each on an OS thread of its own, and returns whether they do.
__device__ bool wait_for_blocks(int* present, int count) {
    atomicAdd(present, 1);
    for (int i = 0; i < 2000 && atomicAdd(present, 0) < count; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return atomicAdd(present, 0) >= count;
}

__global__ void meet(int* present, int* met) {
    if (threadIdx.x == 0 && wait_for_blocks(present, 2)) atomicAdd(met, 1);
    __syncthreads();
}

__global__ void write_order(int* count, int* order) {
    order[atomicAdd(count, 1)] = blockIdx.x;
}

__global__ void halve(float* values, int* present) {
    if (threadIdx.x == 0) wait_for_blocks(present, gridDim.x);
    __syncthreads();
    values[blockIdx.x * blockDim.x + threadIdx.x] *= 0.5f;
}

__global__ void neighbours(const float* in, float* out) {
    __shared__ float tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[threadIdx.x ^ 1] + tile[threadIdx.x];
}

}  // namespace

TEST_CASE("every thread of every block runs once, under its own index") {
    const int threads = 7 * 5 * 3 * 4 * 3 * 2;
    std::vector<int> visits(threads, 0);
    int wrong = 0;
    visit<<<dim3(7, 5, 3), dim3(4, 3, 2)>>>(visits.data(), &wrong);
    CHECK(visits == std::vector<int>(threads, 1));
    CHECK(wrong == 0);
}

TEST_CASE("blocks run side by side on EMULATOR_THREADS cores") {
    int present = 0, met = 0;
    {
        const Environment cores("EMULATOR_THREADS", 2);
        meet<<<2, 32>>>(&present, &met);
    }
    CHECK(met == 2);
}

TEST_CASE("many blocks over all cores") {
    const int blocks = 2000;
    std::vector<float> in(blocks * 64), out(blocks * 64);
    for (size_t i = 0; i < in.size(); ++i) in[i] = float(i % 1000);
    for (int cores : {1, 2, 7}) {
        const Environment fixed("EMULATOR_THREADS", cores);
        std::fill(out.begin(), out.end(), -1.0f);
        neighbours<<<blocks, 64>>>(in.data(), out.data());
        bool right = true;
        for (size_t i = 0; i < out.size(); ++i) right &= out[i] == in[i] + in[i ^ 1];
        CHECK(right);
    }
}

TEST_CASE("launches from several host threads at once") {
    std::vector<int> wrong(4, -1);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&wrong, t] {
            std::vector<float> in(640, float(t)), out(640);
            wrong[t] = 0;
            for (int repeat = 0; repeat < 20; ++repeat) {
                neighbours<<<10, 64>>>(in.data(), out.data());
                wrong[t] += out != std::vector<float>(640, 2.0f * t);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("every second launch of equal numbers takes its blocks in another order, each of them once") {
    const Environment one{"EMULATOR_THREADS", 1};
    std::vector<std::vector<int>> orders;
    for (int launch = 0; launch < 3; ++launch) {
        int count = 0;
        orders.emplace_back(19, -1);
        write_order<<<19, 1>>>(&count, orders.back().data());
        CHECK(std::set<int>(orders.back().begin(), orders.back().end()).size() == 19);
    }
    CHECK(orders[0] != orders[1]);
    CHECK(orders[0] == orders[2]);
    const std::vector<int> ends(orders[1].end() - 3, orders[1].end()), last = {18, 17, 16};
    CHECK(ends == last);
}

#ifdef __x86_64__
TEST_CASE("a kernel keeps subnormal numbers where its caller flushes them") {
    // More OS threads than other tests have, so that some of the kernel's threads are new ones, made while it flushes.
    constexpr int kBlocks = 23, kThreads = 64;
    const Environment many{"EMULATOR_THREADS", kBlocks};
    std::vector<float> numbers(kBlocks * kThreads, 0x1p-130f);
    float* values = nullptr;
    int* present = nullptr;
    const size_t bytes = numbers.size() * sizeof(float);
    REQUIRE(cudaMalloc(&values, bytes) == cudaSuccess);
    REQUIRE(cudaMalloc(&present, sizeof(int)) == cudaSuccess);
    cudaMemset(present, 0, sizeof(int));
    cudaMemcpy(values, numbers.data(), bytes, cudaMemcpyHostToDevice);
    constexpr unsigned kFlushes = 0x8040;  // results, and operands
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | kFlushes);
    halve<<<kBlocks, kThreads>>>(values, present);
    const cudaError_t error = cudaDeviceSynchronize();
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK(error == cudaSuccess);
    CHECK((after & kFlushes) == kFlushes);
    cudaMemcpy(numbers.data(), values, bytes, cudaMemcpyDeviceToHost);
    cudaFree(values), cudaFree(present);
    CHECK(numbers == std::vector<float>(kBlocks * kThreads, 0x1p-131f));
}
#endif
