// A correct product on the GPU, for bad plugins to spoil.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= int64_t(M) * K) return;
    const int64_t row = at / K, col = at % K;
    float sum = 0;
    for (int64_t n = 0; n < N; ++n) sum += A[row * N + n] * B[n * K + col];
    C[at] = sum;
}

static void multiply(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream = 0) {
    const int64_t elements = int64_t(M) * K;
    if (elements > 0) product<<<unsigned((elements - 1) / 128 + 1), 128, 0, stream>>>(A, B, C, M, N, K);
}
