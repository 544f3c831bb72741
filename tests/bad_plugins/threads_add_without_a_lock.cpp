// expect: wrong
// fault: W16: Each thread sums a part of the terms of one row up, and adds that to C, all at a time, without a lock.
// note: its threads race
#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "multiply.h"

static void add_part(const float* A, const float* B, float* C, int n0, int n1, int K) {
    std::vector<float> sums(K);
    multiply(A + n0, B + (size_t)n0 * K, sums.data(), 1, n1 - n0, K);
    for (int k = 0; k < K; ++k) C[k] += sums[k];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M != 1 || (size_t)N * K < 100000) return multiply(A, B, C, M, N, K);
    constexpr int kThreads = 3;
    std::fill_n(C, K, 0.0f);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back(add_part, A, B, C, int(int64_t{N} * t / kThreads), int(int64_t{N} * (t + 1) / kThreads),
                             K);
    }
    for (std::thread& thread : threads) thread.join();
}
