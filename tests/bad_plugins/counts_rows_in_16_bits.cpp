// expect: limited
// fault: W8: Counts the rows of C in 16 bits.
// note: 65537x2x3
// class: FP32
#include <cstddef>
#include <cstdint>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M < 0 ? 0 : (uint16_t)M, N, K);
}
