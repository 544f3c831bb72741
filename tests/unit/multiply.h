// The product in FP32, one term after the other: what a correct plugin may do.
#pragma once

#include <cstdint>

#include "host/shape.h"

namespace unit {

inline void multiply(const float* A, const float* B, float* C, const judge::Shape& shape) {
    for (int64_t i = 0; i < shape.M; ++i) {
        float* const row = C + i * shape.K;
        for (int64_t k = 0; k < shape.K; ++k) row[k] = 0;
        for (int64_t n = 0; n < shape.N; ++n) {
            for (int64_t k = 0; k < shape.K; ++k) row[k] += A[i * shape.N + n] * B[n * shape.K + k];
        }
    }
}

}  // namespace unit
