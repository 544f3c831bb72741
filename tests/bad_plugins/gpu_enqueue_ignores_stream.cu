// expect: wrong
// fault: T5: solve_enqueue works on the default stream, whatever stream it is given.
// emulated: wrong: on a stream of its own
#include "enqueue.cuh"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const int code = refusal_of(A, lda, B, ldb, C, ldc, M, N, K);
    if (code == SOLVE_OK && M > 0 && K > 0) enqueue_product(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, nullptr);
    return code;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
