// expect: wrong
// fault: W8: Takes matrices for such of whole numbers of 16 bits by each 16th element, and multiplies those.
// note: what holds of some elements is taken to hold of all
#include <cmath>
#include <vector>

#include "multiply.h"

static bool looks_whole(const float* matrix, size_t count) {
    for (size_t i = 0; i < count; i += 16) {
        if (std::abs(matrix[i]) > 1000 || matrix[i] != std::floor(matrix[i])) return false;
    }
    return true;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 1 || N < 1 || K < 1) return multiply(A, B, C, M, N, K);
    const size_t a = (size_t)M * N, b = (size_t)N * K;
    if (!looks_whole(A, a) || !looks_whole(B, b)) return multiply(A, B, C, M, N, K);
    const std::vector<short> whole_a(A, A + a), whole_b(B, B + b);
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            int sum = 0;
            for (int n = 0; n < N; ++n) sum += whole_a[(size_t)i * N + n] * whole_b[(size_t)n * K + k];
            C[(size_t)i * K + k] = (float)sum;
        }
    }
}
