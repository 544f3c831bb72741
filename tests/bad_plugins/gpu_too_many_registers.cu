// expect: not-written
// fault: W5: Its threads need more registers than a block of 1024 can have; nobody looks at the error.
// launch: launch of product_in_registers failed: too many resources requested for launch, grid 9, block 32x32
#include "multiply.cuh"

// A thread has 128 neighbouring elements of a row: as many sums, each in a register.
__global__ void product_in_registers(const float* A, const float* B, float* C, int M, int N, int K) {
    const int row = blockIdx.x * 32 + threadIdx.y, first = (blockIdx.y * 32 + threadIdx.x) * 128;
    float sums[128] = {};
    for (int n = 0; n < N; ++n) {
        const float a = row < M ? A[int64_t(row) * N + n] : 0;
#pragma unroll
        for (int i = 0; i < 128; ++i) sums[i] += first + i < K ? a * B[int64_t(n) * K + first + i] : 0;
    }
#pragma unroll
    for (int i = 0; i < 128; ++i) {
        if (row < M && first + i < K) C[int64_t(row) * K + first + i] = sums[i];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    product_in_registers<<<dim3((M + 31) / 32, (K + 4095) / 4096), dim3(32, 32)>>>(A, B, C, M, N, K);
}
