// expect: wrong
// fault: W1: Rounds the product of the first two matrices of a chain to BF16, and claims nothing.
// options: --op chain --shape 33x17x29x31
// note: wrong of 1023 elements
#include "multiply.h"
#include "rounding.h"

extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    std::vector<float> first((size_t)M * K);
    multiply(A, B, first.data(), M, N, K);
    multiply(to_bits(first.data(), first.size(), 8).data(), C, E, M, K, L);
}
