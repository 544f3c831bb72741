// The larger of two numbers, or NaN if one of them is: fmaxf, which most code wants, returns the other one then. One
// instruction on GPUs of compute capability 8.0 and later.
#pragma once

#include <cmath>

#include "../export/launch.h"

namespace ladder {

__device__ __forceinline__ float max_or_nan(float x, float y) {
#if !defined(SOLVE_EMULATOR) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(x), "f"(y));
    return larger;
#else
    return x != x || y != y ? NAN : fmaxf(x, y);
#endif
}

}  // namespace ladder
