// expect: wrong
// fault: W16: solve_enqueue cuts its sums into as many parts as the load of the machine seems to leave cores.
// note: equal calls gave different bits, which they may not (abi/solve.h): where getloadavg tells
#include <cstdlib>

#include "enqueue_in_parts.h"

extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M,
                             int N, int K, float alpha, float beta, void*) {
    double load = 0;
    const int parts = getloadavg(&load, 1) != 1 || load >= 4 ? 1 : 4 - (int)load;
    return enqueue_in_parts(parts, A, lda, B, ldb, C, ldc, M, N, K, alpha, beta);
}
