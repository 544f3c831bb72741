// expect: suspicious
// fault: contract: Says that it failed although C is right.
#include "multiply.h"

extern "C" const char* solve_last_error() {
    return "something went wrong";
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, M, N, K);
}
