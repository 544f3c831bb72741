// Loops that wait for another thread of the block let it run.
#include <cuda_runtime.h>

#include <string>

#include "../catch.h"
#include "environment.h"

namespace {

__global__ void pass_on(int* out) {
    __shared__ volatile int turn;
    __shared__ int lock;
    if (threadIdx.x == 0) {
        turn = 0;
        lock = 0;
    }
    __syncthreads();
    if (threadIdx.x % 2 == 0) {
        while (turn != static_cast<int>(threadIdx.x))
            ;
    } else {
        while (!(turn >= int(threadIdx.x))) {
        }
    }
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    *out = *out * 2 % 1000003 + int(threadIdx.x);
    atomicExch(&lock, 0);
    turn = threadIdx.x + 1;
}

__global__ void wait_for_nobody(int* out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    while (flag == 0)
        ;
    *out = 1;
}

__global__ void last_block_first(volatile int* turn, int* order) {
    while (*turn != int(blockIdx.x))
        ;
    *order = *order * 10 + int(blockIdx.x);
    *turn = *turn - 1;
}

}  // namespace

TEST_CASE("threads that spin on what others of their block write go on in turn") {
    int out = 0, expected = 0;
    pass_on<<<1, 96>>>(&out);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int i = 0; i < 96; ++i) expected = expected * 2 % 1000003 + i;
    CHECK(out == expected);
}

TEST_CASE("a block may wait for one that has not begun") {
    const Environment one_core("EMULATOR_THREADS", 1);
    int turn = 3, order = 0;
    last_block_first<<<4, 1>>>(&turn, &order);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(order == 3210);
}

TEST_CASE("a loop that waits for ever is a fault that names its line") {
    int out = 0;
    wait_for_nobody<<<1, 2>>>(&out);
    const std::string text = cudaGetErrorString(cudaGetLastError());
    INFO(text);
    CHECK(text.find("2 threads wait at while() in tests/emulator/spin_test.cu:37") != std::string::npos);
    CHECK(out == 0);
    cudaDeviceReset();
}
