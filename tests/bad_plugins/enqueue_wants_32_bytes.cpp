// expect: wrong
// fault: W16: solve_enqueue adds in another order where its matrices begin at multiples of 32 bytes.
// note: equal calls gave different bits, which they may not (abi/solve.h): with matrices elsewhere
#include "enqueue_in_parts.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    const bool aligned = (((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) & 31) == 0;
    return enqueue_in_parts(aligned ? 8 : 1, A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
}
