// expect: limited
// fault: W8: Has room for 2^21 sums of a row, and leaves out what is longer.
// note: 1x1x2200013
#include <algorithm>
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    constexpr int kRoom = 1 << 21;
    static thread_local float sums[kRoom];
    const int columns = std::min(K, kRoom);
    for (int i = 0; i < M; ++i) {
        std::fill_n(sums, columns, 0.0f);
        for (int n = 0; n < N; ++n) {
            for (int k = 0; k < columns; ++k) sums[k] += A[(size_t)i * N + n] * B[(size_t)n * K + k];
        }
        std::copy_n(sums, columns, C + (size_t)i * K);
    }
}
