// expect: limited
// fault: contract: Says that a matrix is missing where it has no elements, which abi/solve.h allows.
// note: an error at 0x5x7: C is right, but the plugin says: a matrix is empty
#include "multiply.h"

static thread_local const char* error = nullptr;

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    error = M > 0 && K > 0 ? nullptr : "a matrix is empty";
    multiply(A, B, C, M, N, K);
}

extern "C" const char* solve_last_error() {
    return error;
}
