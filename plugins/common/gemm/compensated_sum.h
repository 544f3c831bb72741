// A sum in FP32 that keeps what its roundings take off.
#pragma once

#include "../export/launch.h"

namespace ladder {

// Exactly so (Knuth); it is added at the end. Where few terms are most of a sum, rounding at each partial sum makes
// what 85 is off at 512 a fourteenth larger.
struct CompensatedSum {
    float sum = 0.0f, lost = 0.0f;
    __device__ __forceinline__ void add(float x) {
        const float total = sum + x, of_x = total - sum;
        lost += (sum - (total - of_x)) + (x - of_x);
        sum = total;
    }
    // An infinite sum stays so, whatever was lost on the way.
    __device__ __forceinline__ float rounded() const { return fabsf(sum) <= 0x1.fffffep127f ? sum + lost : sum; }
};

}  // namespace ladder
