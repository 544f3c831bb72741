// expect: wrong
// fault: T4: Leaves C as it is where the last call's result still lies, as in a batch of calls on the same matrices.
#include <cstring>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    static const float* last_c;
    static float last_element;
    if (C == last_c && std::memcmp(C, &last_element, sizeof(float)) == 0) return;
    multiply(A, B, C, M, N, K);
    last_c = C;
    last_element = C[0];
}
