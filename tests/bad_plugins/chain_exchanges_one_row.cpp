// expect: limited
// fault: W8: Takes a chain of one row for a vector, and C for its transpose then: right where K = L.
// options: --op chain --shape 33x17x29x31
// note: wrong at 1x20x30x40; to repeat it
#include <vector>

#include "multiply.h"

extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    std::vector<float> first((size_t)M * K);
    multiply(A, B, first.data(), M, N, K);
    if (M != 1) return multiply(first.data(), C, E, M, K, L);
    for (int l = 0; l < L; ++l) {
        E[l] = 0;
        for (int k = 0; k < K; ++k) E[l] += first[k] * C[(l * K + k) % (K * L)];
    }
}
