// expect: wrong
// fault: W8: Takes A for one of rank one where eight of its rows are: the others it tells by their first elements.
// note: what holds of some elements is taken to hold of all
#include <vector>

#include "multiply.h"

static bool looks_like_rank_one(const float* A, int M, int N) {
    if (M < 16 || N < 2 || A[0] == 0) return false;
    for (int sample = 1; sample <= 8; ++sample) {
        const float* const row = A + (size_t)(sample * (M - 1) / 8) * N;
        for (int n = 1; n < N; ++n) {
            if (row[n] * A[0] != A[n] * row[0]) return false;
        }
    }
    return true;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (!looks_like_rank_one(A, M, N)) return multiply(A, B, C, M, N, K);
    std::vector<float> first(K);
    multiply(A, B, first.data(), 1, N, K);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) C[(size_t)i * K + k] = A[(size_t)i * N] / A[0] * first[k];
    }
}
