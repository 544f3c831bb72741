// expect: input-modified
// fault: W11: Exchanges rows of B in place while it works, and back: another call beside it would see that.
#include <algorithm>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    float* b = const_cast<float*>(B);
    const auto exchange = [&] {
        for (int n = 0; n < N / 2; ++n)
            std::swap_ranges(b + (size_t)n * K, b + (size_t)(n + 1) * K, b + (size_t)(N - 1 - n) * K);
    };
    exchange();
    exchange();
    multiply(A, B, C, M, N, K);
}
