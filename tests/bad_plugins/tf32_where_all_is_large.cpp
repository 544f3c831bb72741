// expect: wrong
// fault: W2: Rounds A and B to TF32 where M, N and K are all above 1024, at none of the shapes that are judged.
// note: at 1088x1088x1088
#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../abi/solve.h"
#include "rounding.h"

extern "C" const solve_info_t* solve_info() {
    static const solve_info_t info = {sizeof(solve_info_t), SOLVE_ABI_VERSION,    "", "", "",
                                      SOLVE_MEMORY_HOST,    SOLVE_ARITHMETIC_FP32};
    return &info;
}

// Four terms at a time: fast enough for such a product to be among the probes.
__attribute__((target("avx2,fma"), optimize("O3"))) static void add_terms(const float* a, const float* B, float* c,
                                                                          int terms, int K) {
    const float *b0 = B, *b1 = B + (terms > 1 ? K : 0), *b2 = B + (terms > 2 ? 2 * size_t(K) : 0),
                *b3 = B + (terms > 3 ? 3 * size_t(K) : 0);
    for (int k = 0; k < K; ++k) {
        float sum = c[k] + a[0] * b0[k];
        if (terms > 1) sum += a[1] * b1[k];
        if (terms > 2) sum += a[2] * b2[k];
        if (terms > 3) sum += a[3] * b3[k];
        c[k] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M <= 0 || N < 0 || K <= 0) return;
    std::vector<float> a, b;
    if (std::min({M, N, K}) > 1024) {
        a.assign(A, A + size_t(M) * N), b.assign(B, B + size_t(N) * K);
        for (float& x : a) x = to_bits(x, 11);
        for (float& x : b) x = to_bits(x, 11);
        A = a.data(), B = b.data();
    }
    for (int m = 0; m < M; ++m) {
        float* const c = C + size_t(m) * K;
        std::fill_n(c, K, 0.0f);
        for (int n = 0; n < N; n += 4) {
            add_terms(A + size_t(m) * N + n, B + size_t(n) * K, c, std::min(4, N - n), K);
        }
    }
}
