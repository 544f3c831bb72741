// expect: ok
// fault: contract: solve_enqueue copies a parameter from its stack, which a graph reads again at each replay.
// emulated: ok: cannot be captured in a graph: a copy from the caller's stack, which a graph reads at each replay
#include "enqueue.cuh"

__device__ float alpha_on_device;

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* stream) {
    const int code = refusal_of(A, lda, B, ldb, C, ldc, M, N, K);
    if (code != SOLVE_OK || M == 0 || K == 0) return code;
    cudaMemcpyToSymbolAsync(alpha_on_device, &alpha, sizeof(alpha), 0, cudaMemcpyHostToDevice, (cudaStream_t)stream);
    enqueue_product(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, (cudaStream_t)stream);
    return SOLVE_OK;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
