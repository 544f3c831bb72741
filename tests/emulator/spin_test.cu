// Loops that wait for another thread of the block let it run.
#include <cuda_runtime.h>

#include <cstdlib>
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

// Each waits for the one before it, in a loop that does something.
__global__ void pass_on_and_count(int* out, int* counted) {
    __shared__ volatile int turn;
    __shared__ int lock, plain;
    if (threadIdx.x == 0) turn = lock = plain = 0;
    __syncthreads();
    const int own = threadIdx.x;
    int spins = 0;
    if (own % 4 == 0) {
        while (turn != own) ++spins;
    } else if (own % 4 == 1) {
        do {
            __nanosleep(20);
        } while (atomicAdd(&plain, 0) != own);
    } else if (own % 4 == 2) {
        for (;;) {
            ++spins;
            if (atomicCAS(&lock, own, own) == own) break;
        }
    } else {
        while (true) {
            int seen;
            asm volatile("ld.volatile.shared.s32 %0, [%1];"
                         : "=r"(seen)
                         : "r"(static_cast<unsigned>(__cvta_generic_to_shared(const_cast<int*>(&turn)))));
            if (seen == own) break;
            atomicAdd(counted, 1);
        }
    }
    *out = *out * 2 % 1000003 + own;
    turn = own + 1;
    atomicExch(&plain, own + 1);
    atomicExch(&lock, own + 1);
}

__global__ void wait_for_nobody_and_count(int* out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    int spins = 0;
    if (threadIdx.x == 0) {
        while (flag == 0) ++spins;
    } else {
        while (atomicAdd(out, 0) == 0) ++spins;
    }
    *out = spins;
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

TEST_CASE("whatever else a loop does that waits, it lets others go on") {
    int out = 0, counted = 0, expected = 0;
    pass_on_and_count<<<1, 64>>>(&out, &counted);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int i = 0; i < 64; ++i) expected = expected * 2 % 1000003 + i;
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
    CHECK(text.find("2 threads wait at while() in tests/emulator/spin_test.cu:38") != std::string::npos);
    CHECK(out == 0);
    cudaDeviceReset();
}

TEST_CASE("so is one that counts its turns") {
    int out = 0;
    // Each block takes 1.7 s to be given up: two of them in `make test-all`.
    wait_for_nobody_and_count<<<std::getenv("TEST_ALL") ? 2 : 1, 2>>>(&out);
    const std::string text = cudaGetErrorString(cudaGetLastError());
    INFO(text);
    CHECK(text.find("1 thread waits at while() in tests/emulator/spin_test.cu:84, 1 thread waits at atomicAdd() in "
                    "tests/emulator/spin_test.cu:86; no thread of the launch makes progress") != std::string::npos);
    CHECK(out == 0);
    cudaDeviceReset();
}
