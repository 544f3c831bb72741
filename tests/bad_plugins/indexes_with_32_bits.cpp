// expect: ok
// fault: W8: Counts the elements of A with 32 bits: from the 2^32nd on it takes those at the beginning.
// note: it counts elements in 32 bits
#include <algorithm>
#include <cstddef>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    constexpr int kTile = 8;
    for (int i0 = 0; i0 < M; i0 += kTile) {
        for (int k0 = 0; k0 < K; k0 += kTile) {
            const int rows = std::min(kTile, M - i0), cols = std::min(kTile, K - k0);
            float sums[kTile][kTile] = {};
            for (int n = 0; n < N; ++n) {
                for (int i = 0; i < rows; ++i) {
                    const unsigned at = (unsigned)(i0 + i) * (unsigned)N + (unsigned)n;
                    for (int k = 0; k < cols; ++k) sums[i][k] += A[at] * B[(size_t)n * K + k0 + k];
                }
            }
            for (int i = 0; i < rows; ++i) std::copy_n(sums[i], cols, C + (size_t)(i0 + i) * K + k0);
        }
    }
}
