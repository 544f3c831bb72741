// The product in FP32, one term after the other: what a correct plugin may do.
#pragma once

#include <cstdint>
#include <vector>

#include "host/values/shape.h"

namespace unit {

// Optimised in the tests, too, which are not: it is called more often than all else there.
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O2", "tree-vectorize")))
#endif
inline void
multiply(const float* A, const float* B, float* C, const judge::Shape& shape) {
    for (int64_t i = 0; i < shape.M; ++i) {
        float* const row = C + i * shape.K;
        for (int64_t k = 0; k < shape.K; ++k) row[k] = 0;
        for (int64_t n = 0; n < shape.N; ++n) {
            for (int64_t k = 0; k < shape.K; ++k) row[k] += A[i * shape.N + n] * B[n * shape.K + k];
        }
    }
}

// The same as a plugin's solve.
inline void right_product(const float* A, const float* B, float* C, int M, int N, int K) {
    multiply(A, B, C, {M, N, K});
}

// Both products of a chain so, one row after the other.
inline void multiply_chain(const float* A, const float* B, const float* C, float* E, const judge::Shape& shape) {
    std::vector<float> first(shape.K);
    for (int64_t i = 0; i < shape.M; ++i) {
        multiply(A + i * shape.N, B, first.data(), {1, shape.N, shape.K});
        multiply(first.data(), C, E + i * shape.L, {1, shape.K, shape.L});
    }
}

}  // namespace unit
