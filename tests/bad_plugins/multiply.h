// A correct product, for bad plugins to spoil.
#pragma once

#include <cstddef>

// Each element is one sum, in the order of its terms; sixteen side by side are a vector's work.
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    constexpr int kWidth = 16;
    for (int i = 0; i < M; ++i) {
        int k = 0;
        for (; k + kWidth <= K; k += kWidth) {
            float sums[kWidth] = {};
            for (int n = 0; n < N; ++n) {
                const float* const b = B + (size_t)n * K + k;
                for (int j = 0; j < kWidth; ++j) sums[j] += A[(size_t)i * N + n] * b[j];
            }
            for (int j = 0; j < kWidth; ++j) C[(size_t)i * K + k + j] = sums[j];
        }
        for (; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
