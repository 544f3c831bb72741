// expect: ok
// fault: contract: solve_enqueue waits for its stream, which cannot be captured into a graph then.
// emulated: ok: cannot be captured in a graph: cudaStreamSynchronize, which CUDA refuses while a stream is captured
// note: cannot be captured in a graph
#include "enqueue.cuh"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void* stream) {
    const int code = refusal_of(A, lda, B, ldb, C, ldc, M, N, K);
    if (code != SOLVE_OK || M == 0 || K == 0) return code;
    enqueue_product(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, (cudaStream_t)stream);
    cudaStreamSynchronize((cudaStream_t)stream);
    return SOLVE_OK;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
