// expect: wrong
// fault: contract: solve_chain counts the bytes of the product between in an int: 2^32 of them and more are a few.
// options: --op chain --shape 33x17x29x31
// note: its size is computed in 32 bits
#include <cstdlib>

#include "multiply.h"

extern "C" void solve_chain(const float* A, const float* B, const float* C, float* E, int M, int N, int K, int L) {
    const int bytes = (int)(4u * (unsigned)M * (unsigned)K);
    float* const between = (float*)malloc(bytes);
    multiply(A, B, between, M, N, K);
    multiply(between, C, E, M, K, L);
    free(between);
}
