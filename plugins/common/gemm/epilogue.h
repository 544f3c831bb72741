// A finished sum's way into C.
#pragma once

#include "tile.h"

namespace ladder {

// C = alpha * sum + beta * C; as it stands, C = sum. C is read only if beta is not 0: it may hold NaN, and 0 * NaN is
// NaN.
struct Epilogue {
    float alpha = 1.0f, beta = 0.0f;

    __device__ __forceinline__ void store(float* c, float sum) const {
        *c = alpha * sum + (beta != 0.0f ? beta * *c : 0.0f);
    }

    // The same for four neighbours at once; both addresses must be multiples of 16 bytes.
    __device__ __forceinline__ void store4(float* c, const float* sum) const {
        alignas(16) float value[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) value[q] = alpha * sum[q];
        if (beta != 0.0f) {
            alignas(16) float old[4];
            copy4(old, c);
#pragma unroll
            for (int q = 0; q < 4; ++q) value[q] += beta * old[q];
        }
        copy4(c, value);
    }
};

}  // namespace ladder
