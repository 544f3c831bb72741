// CUDA's intrinsics for arithmetic and conversion: __fmaf_rn, __float2int_rz, __popc and the like. The fast ones
// (__sinf, __expf) give the accurate result.
#pragma once

#include <cfenv>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "math.h"

// ---- Sums and products that are not fused with their neighbours, in any rounding mode ------------------------------

namespace emulator {

// operation(a, b) with another rounding mode; volatile keeps g++ from moving it out of there and from contracting it.
template <class T, class Operation>
T rounded(int mode, T a, T b, Operation operation) {
    const int before = std::fegetround();
    if (mode != before) std::fesetround(mode);
    volatile T left = a, right = b;
    volatile T result = operation(left, right);
    if (mode != before) std::fesetround(before);
    return result;
}

}  // namespace emulator

#define EMULATOR_OPERATION(type, name, suffix, mode, operation)                                     \
    inline type __##name##_##suffix(type a, type b) {                                               \
        return ::emulator::rounded<type>(mode, a, b, [](type x, type y) { return x operation y; }); \
    }
#define EMULATOR_OPERATIONS(type, letter, suffix, mode)                                                \
    EMULATOR_OPERATION(type, letter##add, suffix, mode, +)                                             \
    EMULATOR_OPERATION(type, letter##sub, suffix, mode, -)                                             \
    EMULATOR_OPERATION(type, letter##mul, suffix, mode, *)                                             \
    EMULATOR_OPERATION(type, letter##div, suffix, mode, /)                                             \
    inline type __##letter##sqrt_##suffix(type a) {                                                    \
        return ::emulator::rounded<type>(mode, a, a, [](type x, type) { return type(std::sqrt(x)); }); \
    }                                                                                                  \
    inline type __##letter##rcp_##suffix(type a) {                                                     \
        return ::emulator::rounded<type>(mode, type(1), a, [](type x, type y) { return x / y; });      \
    }
#define EMULATOR_ROUNDINGS(type, letter, fused)                                                                       \
    EMULATOR_OPERATIONS(type, letter, rn, FE_TONEAREST)                                                               \
    EMULATOR_OPERATIONS(type, letter, rz, FE_TOWARDZERO)                                                              \
    EMULATOR_OPERATIONS(type, letter, ru, FE_UPWARD)                                                                  \
    EMULATOR_OPERATIONS(type, letter, rd, FE_DOWNWARD)                                                                \
    inline type __##fused##_rn(type a, type b, type c) {                                                              \
        return std::fma(a, b, c);                                                                                     \
    }                                                                                                                 \
    inline type __##fused##_rz(type a, type b, type c) {                                                              \
        return ::emulator::rounded<type>(FE_TOWARDZERO, a, b,                                                         \
                                         [c](type x, type y) { return type(std::fma(x, y, c)); });                    \
    }                                                                                                                 \
    inline type __##fused##_ru(type a, type b, type c) {                                                              \
        return ::emulator::rounded<type>(FE_UPWARD, a, b, [c](type x, type y) { return type(std::fma(x, y, c)); });   \
    }                                                                                                                 \
    inline type __##fused##_rd(type a, type b, type c) {                                                              \
        return ::emulator::rounded<type>(FE_DOWNWARD, a, b, [c](type x, type y) { return type(std::fma(x, y, c)); }); \
    }
EMULATOR_ROUNDINGS(float, f, fmaf)
EMULATOR_ROUNDINGS(double, d, fma)
#undef EMULATOR_ROUNDINGS
#undef EMULATOR_OPERATIONS
#undef EMULATOR_OPERATION

// ---- Functions -----------------------------------------------------------------------------------------------------

#define EMULATOR_FUNCTION(name, expression) \
    inline float name(float a) {            \
        return expression;                  \
    }
EMULATOR_FUNCTION(__sinf, sinf(a))
EMULATOR_FUNCTION(__cosf, cosf(a))
EMULATOR_FUNCTION(__tanf, tanf(a))
EMULATOR_FUNCTION(__expf, expf(a))
EMULATOR_FUNCTION(__exp10f, powf(10.0f, a))
EMULATOR_FUNCTION(__logf, logf(a))
EMULATOR_FUNCTION(__log2f, log2f(a))
EMULATOR_FUNCTION(__log10f, log10f(a))
EMULATOR_FUNCTION(__saturatef, a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f)
EMULATOR_FUNCTION(__frsqrt_rn, 1.0f / sqrtf(a))
EMULATOR_FUNCTION(rsqrtf, 1.0f / sqrtf(a))
EMULATOR_FUNCTION(rcbrtf, 1.0f / cbrtf(a))
EMULATOR_FUNCTION(sinpif, sinf(a * 3.14159265358979f))
EMULATOR_FUNCTION(cospif, cosf(a * 3.14159265358979f))
EMULATOR_FUNCTION(normcdff, 0.5f * erfcf(a * -0.70710678118654752f))
#undef EMULATOR_FUNCTION
inline double rsqrt(double a) {
    return 1.0 / std::sqrt(a);
}
inline float __powf(float a, float b) {
    return powf(a, b);
}
inline float __fdividef(float a, float b) {
    return a / b;
}
inline float fdividef(float a, float b) {
    return a / b;
}
inline void __sincosf(float a, float* sine, float* cosine) {
    *sine = sinf(a);
    *cosine = cosf(a);
}

// ---- Integers ------------------------------------------------------------------------------------------------------

inline int __mul24(int a, int b) {
    return ((a << 8) >> 8) * ((b << 8) >> 8);
}
inline unsigned __umul24(unsigned a, unsigned b) {
    return (a & 0xffffffu) * (b & 0xffffffu);
}
inline int __mulhi(int a, int b) {
    return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
__extension__ typedef __int128 emulator_int128;
__extension__ typedef unsigned __int128 emulator_uint128;
inline long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(emulator_int128(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(emulator_uint128(a) * b >> 64);
}
inline int __popc(unsigned a) {
    return __builtin_popcount(a);
}
inline int __popcll(unsigned long long a) {
    return __builtin_popcountll(a);
}
inline int __clz(int a) {
    return a == 0 ? 32 : __builtin_clz(a);
}
inline int __clzll(long long a) {
    return a == 0 ? 64 : __builtin_clzll(a);
}
inline int __ffs(int a) {
    return __builtin_ffs(a);
}
inline int __ffsll(long long a) {
    return __builtin_ffsll(a);
}
// The position of the n-th bit that is set, counted from `base` upwards, or downwards for n < 0; -1 if there is none.
inline unsigned __fns(unsigned mask, unsigned base, int n) {
    const int step = n < 0 ? -1 : 1;
    int left = n < 0 ? -n : n;
    if (left == 0) return mask >> base & 1 ? base : 0xffffffffu;
    for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step) {
        if ((mask >> i & 1) && --left == 0) return static_cast<unsigned>(i);
    }
    return 0xffffffffu;
}
inline unsigned __brev(unsigned a) {
    unsigned reversed = 0;
    for (int i = 0; i < 32; ++i) reversed |= (a >> i & 1) << (31 - i);
    return reversed;
}
inline unsigned long long __brevll(unsigned long long a) {
    return static_cast<unsigned long long>(__brev(a)) << 32 | __brev(a >> 32);
}
// Each of the four bytes is the one of y:x that a nibble of the selector names.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned nibble = selector >> 4 * i, byte = bytes >> 8 * (nibble & 7) & 0xff;
        result |= (nibble & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return (a > b ? a - b : b - a) + c;
}
inline unsigned __sad(int a, int b, unsigned c) {
    return (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a)) + c;
}
inline int __hadd(int a, int b) {
    return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) c += static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i);
    return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
}

// ---- Conversions ---------------------------------------------------------------------------------------------------

namespace emulator {

// As the hardware does it: NaN gives 0, and what is out of range the nearest limit.
template <class To, class From>
To saturated(From rounded) {
    if (!(rounded == rounded)) return 0;
    if (rounded >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    if (rounded <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return static_cast<To>(rounded);
}

}  // namespace emulator

#define EMULATOR_TO_INTEGER(from, type, name)                  \
    inline type __##name##_rn(from a) {                        \
        return ::emulator::saturated<type>(std::nearbyint(a)); \
    }                                                          \
    inline type __##name##_rz(from a) {                        \
        return ::emulator::saturated<type>(std::trunc(a));     \
    }                                                          \
    inline type __##name##_ru(from a) {                        \
        return ::emulator::saturated<type>(std::ceil(a));      \
    }                                                          \
    inline type __##name##_rd(from a) {                        \
        return ::emulator::saturated<type>(std::floor(a));     \
    }
EMULATOR_TO_INTEGER(float, int, float2int)
EMULATOR_TO_INTEGER(float, unsigned, float2uint)
EMULATOR_TO_INTEGER(float, long long, float2ll)
EMULATOR_TO_INTEGER(float, unsigned long long, float2ull)
EMULATOR_TO_INTEGER(double, int, double2int)
EMULATOR_TO_INTEGER(double, unsigned, double2uint)
EMULATOR_TO_INTEGER(double, long long, double2ll)
EMULATOR_TO_INTEGER(double, unsigned long long, double2ull)
#undef EMULATOR_TO_INTEGER

// FP64 holds every 32-bit integer and every FP32 number, and long double every 64-bit integer, so that only the last
// step rounds.
#define EMULATOR_CONVERSION(from, to, name, suffix, mode)                                                      \
    inline to name##_##suffix(from a) {                                                                        \
        using Exact = std::conditional_t<sizeof(from) == 8 && std::is_integral_v<from>, long double, double>;  \
        return static_cast<to>(                                                                                \
            ::emulator::rounded<Exact>(mode, a, a, [](Exact x, Exact) { return Exact(static_cast<to>(x)); })); \
    }
#define EMULATOR_CONVERSIONS(from, to, name)               \
    EMULATOR_CONVERSION(from, to, name, rn, FE_TONEAREST)  \
    EMULATOR_CONVERSION(from, to, name, rz, FE_TOWARDZERO) \
    EMULATOR_CONVERSION(from, to, name, ru, FE_UPWARD)     \
    EMULATOR_CONVERSION(from, to, name, rd, FE_DOWNWARD)
EMULATOR_CONVERSIONS(int, float, __int2float)
EMULATOR_CONVERSIONS(unsigned, float, __uint2float)
EMULATOR_CONVERSIONS(long long, float, __ll2float)
EMULATOR_CONVERSIONS(unsigned long long, float, __ull2float)
EMULATOR_CONVERSIONS(long long, double, __ll2double)
EMULATOR_CONVERSIONS(unsigned long long, double, __ull2double)
EMULATOR_CONVERSIONS(double, float, __double2float)
#undef EMULATOR_CONVERSIONS
#undef EMULATOR_CONVERSION
inline double __int2double_rn(int a) {
    return a;
}
inline double __uint2double_rn(unsigned a) {
    return a;
}

#define EMULATOR_REINTERPRETATION(from, to, name)   \
    inline to name(from a) {                        \
        return ::emulator::reinterpret_bits<to>(a); \
    }
EMULATOR_REINTERPRETATION(float, int, __float_as_int)
EMULATOR_REINTERPRETATION(float, unsigned, __float_as_uint)
EMULATOR_REINTERPRETATION(int, float, __int_as_float)
EMULATOR_REINTERPRETATION(unsigned, float, __uint_as_float)
EMULATOR_REINTERPRETATION(double, long long, __double_as_longlong)
EMULATOR_REINTERPRETATION(long long, double, __longlong_as_double)
#undef EMULATOR_REINTERPRETATION
inline int __double2hiint(double a) {
    return static_cast<int>(__double_as_longlong(a) >> 32);
}
inline int __double2loint(double a) {
    return static_cast<int>(__double_as_longlong(a));
}
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}
