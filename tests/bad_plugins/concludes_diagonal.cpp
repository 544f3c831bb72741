// expect: wrong
// fault: W8: Takes a square B for diagonal by its edges and 64 elements, from 128 rows on.
// note: what holds of some elements is taken to hold of all
#include "multiply.h"

static bool looks_diagonal(const float* B, int side) {
    if (side < 128) return false;
    const size_t count = (size_t)side * side;
    for (int i = 1; i < side; ++i) {
        if (B[i] != 0 || B[(size_t)i * side] != 0 || B[count - 1 - i] != 0) return false;
    }
    for (size_t sample = 0; sample < 64; ++sample) {
        const size_t at = sample * 2654435761u % count;
        if (at % (side + 1) != 0 && B[at] != 0) return false;
    }
    return true;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (N != K || !looks_diagonal(B, N)) return multiply(A, B, C, M, N, K);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) C[(size_t)i * K + k] = A[(size_t)i * N + k] * B[(size_t)k * K + k];
    }
}
