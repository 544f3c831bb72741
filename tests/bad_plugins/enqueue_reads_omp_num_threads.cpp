// expect: wrong
// fault: W16: solve_enqueue cuts its sums for as many threads as the environment names at each call.
// note: equal calls gave different bits, which they may not (abi/solve.h): with OMP_NUM_THREADS
#include <cstdlib>

#include "enqueue_in_parts.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const char* const threads = getenv("OMP_NUM_THREADS");
    return enqueue_in_parts(threads && atoi(threads) == 1 ? 1 : 2, A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
}
