// expect: ok
// fault: W17: Counts its rows in unsigned numbers: a negative M is some thousands of millions of rows.
// note: a negative size is an error, of which nothing is written (abi/solve.h), and it crashed (SIGSEGV)
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    for (unsigned i = 0; i < (unsigned)M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
