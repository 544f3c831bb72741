// A correct product, for bad plugins to spoil.
#pragma once

#include <cstddef>

static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    for (int i = 0; i < M; ++i) {
        for (int k = 0; k < K; ++k) {
            float sum = 0;
            for (int n = 0; n < N; ++n) sum += A[(size_t)i * N + n] * B[(size_t)n * K + k];
            C[(size_t)i * K + k] = sum;
        }
    }
}
