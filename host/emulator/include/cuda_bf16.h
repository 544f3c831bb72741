// BF16: __nv_bfloat16, __nv_bfloat162, and their arithmetic.
#pragma once

#include "emulator/small_float.h"

EMULATOR_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, ::emulator::float_to_bfloat16, ::emulator::bfloat16_to_float)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline __nv_bfloat16 __float2bfloat16(float a) {
    return a;
}
inline __nv_bfloat16 __float2bfloat16_rn(float a) {
    return a;
}
inline __nv_bfloat16 __float2bfloat16_rz(float a) {
    return __nv_bfloat16_raw{static_cast<unsigned short>(__float_as_uint(a) >> 16)};
}
inline __nv_bfloat16 __double2bfloat16(double a) {
    return a;
}
inline float __bfloat162float(__nv_bfloat16 a) {
    return a;
}
inline __nv_bfloat162 __float2bfloat162_rn(float a) {
    return {a, a};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
    return {a, b};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) {
    return {a.x, a.y};
}
inline float2 __bfloat1622float2(__nv_bfloat162 a) {
    return {a.x, a.y};
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
    return {a, a};
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
    return {a, b};
}
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
    return {a, b};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) {
    return a.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) {
    return a.y;
}
inline __nv_bfloat16 __int2bfloat16_rn(int a) {
    return a;
}
inline int __bfloat162int_rn(__nv_bfloat16 a) {
    return __float2int_rn(a);
}
inline int __bfloat162int_rz(__nv_bfloat16 a) {
    return __float2int_rz(a);
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) {
    return a.bits;
}
inline short __bfloat16_as_short(__nv_bfloat16 a) {
    return static_cast<short>(a.bits);
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
    return __nv_bfloat16_raw{a};
}
