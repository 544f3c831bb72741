// The tensor cores' matrix instruction for TF32, on GPUs of compute capability 8.0 and later.
#pragma once

#include <cstdint>

#include "../export/launch.h"

#ifdef SOLVE_EMULATOR
#include <emulator/warp_operation.h>
#endif

namespace ladder {

// A float as an operand for the instruction below, which looks at the 10 highest of the fraction's 23 bits. Taken as it
// is, a value would lose up to a whole unit of the last of these, always towards zero. Half a unit added first makes
// that a rounding to the nearest. Half a unit is 2^-11 of the value's power of two: sign and exponent, with a fraction
// of zero. For NaN these bits are an infinity, for 0 and denormals 0, so all of them come through.
//
// Two instructions. cvt.rna.tf32 gives the same numbers, but takes three: it also clears the bits that nobody looks at.
__device__ __forceinline__ uint32_t to_tf32(float value) {
    const float power = __uint_as_float(__float_as_uint(value) & 0xff800000u);
    return __float_as_uint(__fmaf_rn(power, 0x1p-11f, value));
}

// D += A * B for a 16 x 8 A, an 8 x 8 B and a 16 x 8 D spread over the 32 lanes of a warp, all of which must take part.
// With g = lane / 4 and t = lane % 4 a lane holds
//   a[0], a[1]  A's column t, rows g and g + 8;       a[2], a[3]  column t + 4, the same rows
//   b[0], b[1]  B's column g, rows t and t + 4
//   d[0], d[1]  D's row g, columns 2t and 2t + 1;     d[2], d[3]  row g + 8, the same columns
#ifdef SOLVE_EMULATOR

__device__ inline void mma_m16n8k8_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    struct Operands {
        float a[4], b[2];
    };
    const auto operand = [](uint32_t bits) { return ::emulator::as_tf32(__uint_as_float(bits)); };
    const Operands own = {{operand(a[0]), operand(a[1]), operand(a[2]), operand(a[3])}, {operand(b[0]), operand(b[1])}};
    ::emulator::warp_operation(own, {"mma.sync", file, line}, [&](const auto& all) {
        const int g = ::emulator::lane() / 4, t = ::emulator::lane() % 4;
        float d0 = d[0], d1 = d[1], d2 = d[2], d3 = d[3];  // not in memory between the terms
#pragma GCC unroll 8
        for (int k = 0; k < 8; ++k) {
            const Operands &row = all[4 * g + k % 4], &col = all[8 * t + k % 4], &next = all[8 * t + 4 + k % 4];
            d0 = fmaf(row.a[k / 4 * 2], col.b[k / 4], d0);
            d1 = fmaf(row.a[k / 4 * 2], next.b[k / 4], d1);
            d2 = fmaf(row.a[k / 4 * 2 + 1], col.b[k / 4], d2);
            d3 = fmaf(row.a[k / 4 * 2 + 1], next.b[k / 4], d3);
        }
        d[0] = d0, d[1] = d1, d[2] = d2, d[3] = d3;
    });
}

#else

__device__ __forceinline__ void mma_m16n8k8_tf32(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#endif

}  // namespace ladder
