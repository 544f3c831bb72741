// A correct product, for bad plugins to spoil.
#pragma once

#include <cstddef>

// The loader takes the copy with fused multiply-adds where the CPU has them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define IN_VECTORS __attribute__((target_clones("fma", "default")))
#else
#define IN_VECTORS
#endif

// Each element is one sum, in the order of its terms. 4 rows of 16 side by side are eight vectors' work, and read B a
// quarter as often as a row at a time. (-O2 keeps an array that it does not unroll in memory, and waits for that at
// every term.)
IN_VECTORS static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
    constexpr int kRows = 4, kVectors = 2, kWidth = 8 * kVectors;
    int i = 0;
    for (; i + kRows <= M; i += kRows) {
        for (int k = 0; k + kWidth <= K; k += kWidth) {
            Eight sums[kRows][kVectors] = {};
            for (int n = 0; n < N; ++n) {
                const Eight* const b = (const Eight*)(B + (size_t)n * K + k);
#pragma GCC unroll kRows
                for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll kVectors
                    for (int j = 0; j < kVectors; ++j) sums[row][j] += A[(size_t)(i + row) * N + n] * b[j];
                }
            }
#pragma GCC unroll kRows
            for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll kVectors
                for (int j = 0; j < kVectors; ++j) ((Eight*)(C + (size_t)(i + row) * K + k))[j] = sums[row][j];
            }
        }
    }
    const int whole_rows = i, whole_columns = K - K % kWidth;
    for (i = 0; i < M; ++i) {
        for (int k = i < whole_rows ? whole_columns : 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
