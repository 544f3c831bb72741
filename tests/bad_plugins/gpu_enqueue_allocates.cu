// expect: ok
// fault: contract: solve_enqueue allocates and frees memory in each call, which a capture does not allow.
// emulated: ok: at 36x1700x41 cannot be captured in a graph: cudaMalloc, which CUDA refuses
// note: cannot be captured in a graph
#include "enqueue.cuh"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* given) {
    const int code = refusal_of(A, lda, B, ldb, C, ldc, M, N, K);
    if (code != SOLVE_OK || M == 0 || K == 0) return code;
    cudaStream_t stream = (cudaStream_t)given;
    float* copy = nullptr;  // of A, of a long sum, for no reason: without memory for it the product is as right
    const size_t bytes = ((M - 1) * lda + N) * sizeof(float);
    if (N > 1000 && cudaMalloc(&copy, bytes) != cudaSuccess) cudaGetLastError(), copy = nullptr;
    if (copy) cudaMemcpyAsync(copy, A, bytes, cudaMemcpyDeviceToDevice, stream);
    enqueue_product(copy ? copy : A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, stream);
    if (copy) cudaFree(copy);
    return SOLVE_OK;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
