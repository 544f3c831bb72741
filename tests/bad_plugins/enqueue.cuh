// solve_enqueue on the GPU, for bad plugins to get wrong.
#pragma once

#include "../../abi/solve.h"
#include "multiply.cuh"

static int refusal_of(const float* A, int64_t lda, const float* B, int64_t ldb, const float* C, int64_t ldc, int M,
                      int N, int K) {
    if (M < 0 || N < 0 || K < 0) return SOLVE_INVALID_ARGUMENT;
    if ((M > 0 && lda < N) || (N > 0 && ldb < K) || (M > 0 && ldc < K)) return SOLVE_INVALID_ARGUMENT;
    if (M == 0 || K == 0) return SOLVE_OK;
    return !C || (N > 0 && (!A || !B)) ? SOLVE_INVALID_ARGUMENT : SOLVE_OK;
}

__global__ void product_into(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta) {
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= int64_t(M) * K) return;
    const int64_t row = at / K, col = at % K;
    float sum = 0;
    for (int64_t n = 0; n < N && alpha != 0; ++n) sum += A[row * lda + n] * B[n * ldb + col];
    float& c = C[row * ldc + col];
    c = (N == 0 || alpha == 0 ? 0 : alpha * sum) + (beta == 0 ? 0 : beta * c);
}

// Of a call that refusal_of lets pass, with elements.
static void enqueue_product(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                            int N, int K, float alpha, float beta, cudaStream_t stream) {
    const unsigned blocks = unsigned((int64_t(M) * K - 1) / 128 + 1);
    product_into<<<blocks, 128, 0, stream>>>(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
}

// C = product + beta C
__global__ void add_scaled(const float* product, float* C, int64_t ldc, int M, int K, float beta) {
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= int64_t(M) * K) return;
    float& c = C[at / K * ldc + at % K];
    c = product[at] + (beta == 0 ? 0 : beta * c);
}
