// expect: suspicious
// fault: F24: C is right; where K is no multiple of 4, the copy of B with longer rows is never freed.
#include <cstdlib>
#include <cstring>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
    if (K <= 0 || N <= 0 || K % 4 == 0) return;
    const size_t row = sizeof(float) * (size_t)K, padded = (row + 15) / 16 * 16;
    char* const copy = static_cast<char*>(malloc(N * padded));
    for (int n = 0; n < N; ++n) memcpy(copy + n * padded, B + (size_t)n * K, row);
}
