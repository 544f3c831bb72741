// A correct product, for bad plugins to spoil.
#pragma once

#include <cstddef>

// Each element is one sum, in the order of its terms; sixteen side by side are four vectors' work. (-O2 keeps an array
// that it does not unroll in memory, and waits for that at every term.)
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    typedef float Four __attribute__((vector_size(16)));
    constexpr int kVectors = 4, kWidth = 4 * kVectors;
    for (int i = 0; i < M; ++i) {
        int k = 0;
        for (; k + kWidth <= K; k += kWidth) {
            Four sums[kVectors] = {};
            for (int n = 0; n < N; ++n) {
#pragma GCC unroll kVectors
                for (int j = 0; j < kVectors; ++j) {
                    Four b;
                    __builtin_memcpy(&b, B + (size_t)n * K + k + 4 * j, sizeof(b));
                    sums[j] += A[(size_t)i * N + n] * b;
                }
            }
            __builtin_memcpy(C + (size_t)i * K + k, sums, sizeof(sums));
        }
        for (; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
