// expect: wrong
// fault: W16: Two threads add their terms to the middle row of an odd M at a time: now and then one's sum is lost.
// note: its threads race
#include <algorithm>
#include <cstddef>
#include <thread>

static void add(const float* A, const float* B, float* C, int row, int n0, int n1, int N, int K) {
    for (int n = n0; n < n1; ++n) {
        for (int k = 0; k < K; ++k) C[(size_t)row * K + k] += A[(size_t)row * N + n] * B[(size_t)n * K + k];
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    std::fill_n(C, (size_t)M * K, 0.0f);
    const bool shared = M % 2 == 1 && (size_t)N * K > 100000;
    const int half = shared ? M / 2 : M / 2 + M % 2;
    std::thread other([=] {
        for (int i = M / 2 + M % 2; i < M; ++i) add(A, B, C, i, 0, N, N, K);
        if (shared) add(A, B, C, M / 2, N / 2, N, N, K);
    });
    for (int i = 0; i < half; ++i) add(A, B, C, i, 0, N, N, K);
    if (shared) add(A, B, C, M / 2, 0, N / 2, N, K);
    other.join();
}
