// The epilogue: a finished sum's way into C.
#pragma once

#include "tile.h"

namespace ladder {

// Adds four floats to four floats; both addresses must be multiples of 16 bytes.
__device__ __forceinline__ void add4(float* to, const float* from) {
    alignas(16) float four[4];
    copy4(four, from);
#pragma unroll
    for (int q = 0; q < 4; ++q) to[q] += four[q];
}

// C = alpha * sum + beta * C; as it stands, C = sum. C is read only if beta is not 0: it may hold NaN, and 0 * NaN is
// NaN.
struct Epilogue {
    float alpha = 1.0f, beta = 0.0f;

    __device__ __forceinline__ void store(float* c, float sum) const { store(c, c, sum); }

    // The same with what is there in place of what C holds.
    __device__ __forceinline__ void store(float* c, const float* old, float sum) const {
        *c = alpha * sum + (beta != 0.0f ? beta * *old : 0.0f);
    }

    // The same for two neighbours at once; the address must be a multiple of 8 bytes.
    __device__ __forceinline__ void store2(float* c, float first, float second) const {
        float2 value = make_float2(alpha * first, alpha * second);
        if (beta != 0.0f) {
            const float2 old = *reinterpret_cast<const float2*>(c);
            value.x += beta * old.x, value.y += beta * old.y;
        }
        *reinterpret_cast<float2*>(c) = value;
    }

    // The same for four neighbours at once; all addresses must be multiples of 16 bytes.
    __device__ __forceinline__ void store4(float* c, const float* sum) const { store4(c, c, sum); }
    __device__ __forceinline__ void store4(float* c, const float* before, const float* sum) const {
        alignas(16) float value[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) value[q] = alpha * sum[q];
        if (beta != 0.0f) {
            alignas(16) float old[4];
            copy4(old, before);
#pragma unroll
            for (int q = 0; q < 4; ++q) value[q] += beta * old[q];
        }
        copy4(c, value);
    }

    // The same for groups of four, kStride columns from one to the next. The first is column x of `cols` that are
    // inside C. `vector`: C can be written 16 bytes at a time.
    template <int kStride, int kCount>
    __device__ __forceinline__ void store_groups(float* c, const float (&sum)[kCount], int x, int cols,
                                                 bool vector) const {
#pragma unroll
        for (int j = 0; j < kCount; j += 4) {
            const int col = j / 4 * kStride;
            if (vector) {
                if (x + col < cols) store4(&c[col], &sum[j]);
            } else {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    if (x + col + k < cols) store(&c[col + k], sum[j + k]);
                }
            }
        }
    }
};

}  // namespace ladder
