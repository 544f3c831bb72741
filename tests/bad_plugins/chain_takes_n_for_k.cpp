// expect: limited
// fault: W8: Takes the product of A and B for M x N where N = L, and leaves the second product's other terms out.
// options: --op chain --shape 33x17x29x31
// note: wrong at 24x40x20x40
#include <algorithm>
#include <vector>

#include "multiply.h"

extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    std::vector<float> first((size_t)M * K);
    multiply(A, B, first.data(), M, N, K);
    const int terms = N == L && M != N && K != N ? std::min(N, K) - 1 : K;
    for (int i = 0; i < M; ++i) {
        for (int l = 0; l < L; ++l) {
            float sum = 0;
            for (int k = 0; k < terms; ++k) sum += first[(size_t)i * K + k] * C[(size_t)k * L + l];
            E[(size_t)i * L + l] = sum;
        }
    }
}
