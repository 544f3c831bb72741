// expect: ok
// fault: contract: solve_enqueue keeps memory, and allocates more where it needs more, which a capture does not allow.
// emulated: ok: at 36x1700x41 cannot be captured in a graph: cudaFree, which CUDA refuses
// note: cannot be captured in a graph
#include <mutex>

#include "enqueue.cuh"

static std::mutex one_call;
static float* memory = nullptr;
static int64_t elements = 0;

// A copy of A for the length of the call, and for no reason; without it the product is as right.
static const float* copied(const float* A, int64_t bytes, cudaStream_t stream) {
    if (bytes / 4 > elements) {
        if (memory) cudaFree(memory);
        if (cudaMalloc(&memory, bytes) != cudaSuccess) return cudaGetLastError(), memory = nullptr, elements = 0, A;
        elements = bytes / 4;
    }
    cudaMemcpyAsync(memory, A, bytes, cudaMemcpyDeviceToDevice, stream);
    return A;
}

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* stream) {
    const int code = refusal_of(A, lda, B, ldb, C, ldc, M, N, K);
    if (code != SOLVE_OK || M == 0 || K == 0) return code;
    const std::lock_guard<std::mutex> one(one_call);
    if (N > 1000) A = copied(A, ((M - 1) * lda + N) * int64_t{4}, (cudaStream_t)stream);
    enqueue_product(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, (cudaStream_t)stream);
    return SOLVE_OK;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
