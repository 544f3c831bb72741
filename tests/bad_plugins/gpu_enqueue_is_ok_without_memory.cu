// expect: ok
// fault: contract: solve_enqueue asks for memory, and does not look whether it gets it, nor whether it is filled.
// emulated: wrong: returns SOLVE_OK, and the result is wrong
#include "enqueue.cuh"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* stream) {
    if (const int code = refusal_of(A, lda, B, ldb, C, ldc, M, N, K); code != SOLVE_OK || M == 0 || K == 0) return code;
    float* product = nullptr;
    const cudaStream_t on = static_cast<cudaStream_t>(stream);
    cudaMallocAsync(&product, sizeof(float) * M * K, on);
    if (product) enqueue_product(A, lda, B, ldb, product, K, M, N, K, alpha, 0, on);
    if (product) add_scaled<<<unsigned((int64_t(M) * K - 1) / 128 + 1), 128, 0, on>>>(product, C, ldc, M, K, beta);
    if (product) cudaFreeAsync(product, on);
    return SOLVE_OK;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
