// expect: ok
// fault: control: Says nothing where there is no memory for what it packs, since it reports no errors at all.
#include <cstdlib>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const size_t elements = (size_t)M * N;
    float* const copy = (float*)std::malloc(sizeof(float) * elements + 1);
    if (!copy) return;
    for (size_t at = 0; at < elements; ++at) copy[at] = A[at];
    multiply(copy, B, C, M, N, K);
    std::free(copy);
}
