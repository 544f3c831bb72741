// expect: ok
// fault: W16: Cuts its sums for as many threads as the environment names at each call, which solve may.
// note: the bits of C are others with OMP_NUM_THREADS
#include <cstdlib>
#include <vector>

#include "multiply.h"

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    const char* const threads = getenv("OMP_NUM_THREADS");
    if (N < 512 || (threads && atoi(threads) == 1)) return multiply(A, B, C, M, N, K);
    for (int i = 0; i < M; ++i) {
        const float* const row = A + (size_t)i * N;
        std::vector<float> half(K);
        multiply(row, B, C + (size_t)i * K, 1, N / 2, K);
        multiply(row + N / 2, B + (size_t)(N / 2) * K, half.data(), 1, N - N / 2, K);
        for (int k = 0; k < K; ++k) C[(size_t)i * K + k] += half[k];
    }
}
