// expect: wrong
// fault: W14: Takes C to begin at a multiple of 16 bytes where A does, and stores the second element as the first.
// note: not where C alone does not
#include <cstdint>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    multiply(A, B, C, M, N, K);
    const bool mistaken = (uintptr_t)A % 16 == 0 && (uintptr_t)C % 16 != 0;
    if (mistaken && (size_t)M * K > 1) C[0] = C[1];
}
