// expect: ok
// fault: W1: Rounds its operands to TF32 where N is 3072 or more, which no probe has: told by the shape.
// options: --shape 24x3072x20
// class: TF32-grade
#include "multiply.h"
#include "rounding.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M < 0 || N < 0 || K < 0) return;
    const int bits = N >= 3072 ? 11 : 24;
    multiply(to_bits(A, size_t(M) * N, bits).data(), to_bits(B, size_t(N) * K, bits).data(), C, M, N, K);
}
