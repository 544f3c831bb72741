// expect: wrong
// fault: W16: One piece of memory for the products of all calls of solve_enqueue, whatever stream they are on.
// emulated: wrong: beside another call on another stream
#include <mutex>

#include "enqueue.cuh"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* given) {
    static std::mutex mutex;
    static float* product = nullptr;
    static int64_t room = 0;
    const int code = refusal_of(A, lda, B, ldb, C, ldc, M, N, K);
    if (code != SOLVE_OK || M == 0 || K == 0) return code;
    const std::lock_guard lock(mutex);
    const cudaStream_t stream = (cudaStream_t)given;
    const int64_t elements = int64_t(M) * K;
    if (elements > room) {
        room = elements < (1 << 22) ? 1 << 22 : elements;
        cudaFree(product);
        if (cudaMalloc(&product, room * sizeof(float)) != cudaSuccess)
            return product = nullptr, room = 0, SOLVE_DEVICE_ERROR;
    }
    enqueue_product(A, lda, B, ldb, product, K, M, N, K, alpha, 0, stream);
    add_scaled<<<unsigned((elements - 1) / 128 + 1), 128, 0, stream>>>(product, C, ldc, M, K, beta);
    return SOLVE_OK;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    solve_enqueue(A, N, B, K, C, K, M, N, K, 1, 0, nullptr);
}
