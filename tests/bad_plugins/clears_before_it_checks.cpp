// expect: ok
// fault: W17: Fills C with zeros, the empty sum, before it looks at its arguments; what is wrong with them it reports.
// note: a null pointer to a matrix that has elements is an error
#include "multiply.h"

static const char* last_error = nullptr;

extern "C" const char* solve_last_error() {
    return last_error;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    last_error = nullptr;
    if (C) {
        for (long long i = 0; M > 0 && i < (long long)M * K; ++i) C[i] = 0;
    }
    const bool missing = (!A && M > 0 && N > 0) || (!B && N > 0 && K > 0) || (!C && M > 0 && K > 0);
    if (M < 0 || N < 0 || K < 0 || missing) {
        last_error = "a negative size, or a null pointer";
    } else if (M > 0 && K > 0) {
        multiply(A, B, C, M, N, K);
    }
}
