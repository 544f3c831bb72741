// expect: wrong
// fault: W16: A race that is rarely lost: one call in three has a tile of stale values. The first call is right.
// class: wrong
#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static int calls = 0;
    multiply(A, B, C, M, N, K);
    if (++calls % 3 != 0) return;
    for (int i = 0; i < M && i < 4; ++i) {
        for (int k = 0; k < K && k < 4; ++k) C[(size_t)i * K + k] *= 0.5f;
    }
}
