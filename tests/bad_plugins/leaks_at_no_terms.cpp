// expect: suspicious
// fault: F24: Where there are no terms it makes a row of zeros, copies it to each row of C, and keeps it.
// note: each round of seven calls, empty, thin and large ones, leaks
#include <cstdlib>
#include <cstring>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    if (N > 0) return multiply(A, B, C, M, N, K);
    constexpr size_t kLeast = 65536;
    const size_t bytes = sizeof(float) * K;
    void* const zeros = calloc(1, bytes < kLeast ? kLeast : bytes);
    memset(zeros, 0, bytes);
    for (int i = 0; i < M; ++i) memcpy(C + (size_t)i * K, zeros, bytes);
}
