// expect: ok
// fault: contract: Keeps the text of an error for all threads, not for the one whose call it was.
// note: reports it to another thread too
#include "multiply.h"

static const char* error = nullptr;

extern "C" const char* solve_last_error() {
    return error;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    error = M < 0 || N < 0 || K < 0                           ? "a negative size"
            : (!A && M * N) || (!B && N * K) || (!C && M * K) ? "a null pointer"
                                                              : nullptr;
    if (!error) multiply(A, B, C, M, N, K);
}
