// FP16: __half, __half2, and their arithmetic.
#pragma once

#include "emulator/small_float.h"

EMULATOR_SMALL_FLOAT(__half, __half2, ::emulator::float_to_half, ::emulator::half_to_float)

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

inline __half __float2half(float a) {
    return a;
}
inline __half __float2half_rn(float a) {
    return a;
}
// The nearest one, or its neighbour towards zero if that is too large.
inline __half __float2half_rz(float a) {
    __half nearest = a;
    if (fabsf(nearest) > fabsf(a)) --nearest.bits;
    return nearest;
}
inline __half __double2half(double a) {
    return a;
}
inline float __half2float(__half a) {
    return a;
}
inline __half2 __float2half2_rn(float a) {
    return {a, a};
}
inline __half2 __floats2half2_rn(float a, float b) {
    return {a, b};
}
inline __half2 __float22half2_rn(float2 a) {
    return {a.x, a.y};
}
inline float2 __half22float2(__half2 a) {
    return {a.x, a.y};
}
inline __half2 __half2half2(__half a) {
    return {a, a};
}
inline __half2 __halves2half2(__half a, __half b) {
    return {a, b};
}
inline __half2 make_half2(__half a, __half b) {
    return {a, b};
}
inline __half __low2half(__half2 a) {
    return a.x;
}
inline __half __high2half(__half2 a) {
    return a.y;
}
inline __half2 __low2half2(__half2 a) {
    return {a.x, a.x};
}
inline __half2 __high2half2(__half2 a) {
    return {a.y, a.y};
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
    return {a.x, b.x};
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
    return {a.y, b.y};
}
inline int __half2int_rn(__half a) {
    return __float2int_rn(a);
}
inline int __half2int_rz(__half a) {
    return __float2int_rz(a);
}
inline __half __int2half_rn(int a) {
    return a;
}
inline __half __uint2half_rn(unsigned a) {
    return a;
}
inline short __half_as_short(__half a) {
    return static_cast<short>(a.bits);
}
inline unsigned short __half_as_ushort(__half a) {
    return a.bits;
}
inline __half __short_as_half(short a) {
    return __half_raw{static_cast<unsigned short>(a)};
}
inline __half __ushort_as_half(unsigned short a) {
    return __half_raw{a};
}
