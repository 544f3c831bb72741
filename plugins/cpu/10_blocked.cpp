// Loops reordered and cut into blocks that stay in cache, on one CPU core.
//
// Against 00: the innermost loop runs along a row of B and of C (i, n, k order), so every cache line is used whole,
// neighbouring elements are independent, and the compiler makes vectors of them (4 floats with SSE2). That alone walks
// all of B for each row of C. So B is taken in blocks that stay in cache while all rows of A pass over them.
//
// Limit: each multiply-add still loads B and C and stores C, for one multiply-add a vector: the load and store units
// set the pace, not the arithmetic. 20 keeps C in registers.
// Source: Lam (loop interchange and blocking).
#include "../common/export/host.h"

namespace cpu_10 {

// A block of B is 128 x 512 floats: 256 KiB, in L2 (256 KiB to 2 MiB a core) for all M rows of A. The row of C that
// collects it, 512 floats = 2 KiB, and the row of B read beside it stay in L1 (32 KiB) for 128 multiply-adds each, so
// C goes between L1 and memory N / 128 times rather than N.
constexpr int64_t kBlockN = 128;
constexpr int64_t kBlockK = 512;

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int64_t k0 = 0; k0 < K; k0 += kBlockK) {
        const int64_t cols = std::min(kBlockK, K - k0);
        for (int64_t n0 = 0; n0 < N; n0 += kBlockN) {
            const int64_t n1 = std::min<int64_t>(n0 + kBlockN, N);
            for (int64_t i = 0; i < M; ++i) {
                float* const __restrict c = C + i * K + k0;
                if (n0 == 0) std::fill_n(c, cols, 0.0f);
                for (int64_t n = n0; n < n1; ++n) {
                    const float a = A[i * N + n];
                    const float* const b = B + n * K + k0;
                    for (int64_t k = 0; k < cols; ++k) c[k] += a * b[k];
                }
            }
        }
    }
}

}  // namespace cpu_10

SOLVE_EXPORT(cpu_10::multiply, .summary = "i, n, k loops over blocks of B that stay in L2, one CPU core",
             .source = "Lam (loop interchange and blocking)")
