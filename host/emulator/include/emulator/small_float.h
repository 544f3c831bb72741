// What FP16 and BF16 have in common: 16 bits, arithmetic in FP32 and a rounding to nearest after each operation.
// EMULATOR_SMALL_FLOAT defines a type, its pair, and what has the same name for both; cuda_fp16.h and cuda_bf16.h add
// the conversions.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "../vector_types.h"
#include "atomics.h"
#include "intrinsics.h"
#include "memory_access.h"
#include "warp.h"

namespace emulator {

inline uint16_t float_to_half(float value) {
#ifdef __F16C__
    typedef float Floats __attribute__((vector_size(16)));
    return static_cast<uint16_t>(__builtin_ia32_vcvtps2ph(Floats{value, 0, 0, 0}, 0)[0]);
#else
    const uint32_t bits = __float_as_uint(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u));
    if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 leaves the rounded bits at the end of the fraction
        return static_cast<uint16_t>(sign | (__float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000u));
    }
    return static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13);
#endif
}

inline float half_to_float(uint16_t half) {
#ifdef __F16C__
    typedef short Shorts __attribute__((vector_size(16)));
    return __builtin_ia32_vcvtph2ps(Shorts{static_cast<short>(half), 0, 0, 0, 0, 0, 0, 0})[0];
#else
    const uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    if (magnitude >= 0x7c00u) return __uint_as_float(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude < 0x400u) return (sign ? -0x1p-24f : 0x1p-24f) * static_cast<float>(magnitude);
    return __uint_as_float(sign | ((magnitude << 13) + 0x38000000u));
#endif
}

inline uint16_t float_to_bfloat16(float value) {
    const uint32_t bits = __float_as_uint(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

inline float bfloat16_to_float(uint16_t bits) {
    return __uint_as_float(static_cast<uint32_t>(bits) << 16);
}

}  // namespace emulator

#define EMULATOR_SMALL_FLOAT(type, pair, encode, decode)                                          \
    struct type##_raw {                                                                           \
        unsigned short x;                                                                         \
    };                                                                                            \
    struct type {                                                                                 \
        unsigned short bits;                                                                      \
                                                                                                  \
        type() = default;                                                                         \
        type(type##_raw raw) : bits(raw.x) {}                                                     \
        template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                     \
        type(T value) : bits(encode(static_cast<float>(value))) {}                                \
        operator float() const { return decode(bits); }                                           \
        operator type##_raw() const { return {bits}; }                                            \
        template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                     \
        type& operator=(T value) {                                                                \
            return *this = type(value);                                                           \
        }                                                                                         \
        type operator-() const { return type##_raw{static_cast<unsigned short>(bits ^ 0x8000)}; } \
        type operator+() const { return *this; }                                                  \
    };                                                                                            \
    struct alignas(4) pair {                                                                      \
        type x, y;                                                                                \
                                                                                                  \
        pair() = default;                                                                         \
        pair(type x, type y) : x(x), y(y) {}                                                      \
        pair operator-() const { return {-x, -y}; }                                               \
    };                                                                                            \
    EMULATOR_SMALL_ARITHMETIC(type, pair, +, __hadd)                                              \
    EMULATOR_SMALL_ARITHMETIC(type, pair, -, __hsub)                                              \
    EMULATOR_SMALL_ARITHMETIC(type, pair, *, __hmul)                                              \
    EMULATOR_SMALL_ARITHMETIC(type, pair, /, __hdiv)                                              \
    EMULATOR_SMALL_COMPARISON(type, pair, ==, __heq)                                              \
    EMULATOR_SMALL_COMPARISON(type, pair, !=, __hne)                                              \
    EMULATOR_SMALL_COMPARISON(type, pair, <, __hlt)                                               \
    EMULATOR_SMALL_COMPARISON(type, pair, <=, __hle)                                              \
    EMULATOR_SMALL_COMPARISON(type, pair, >, __hgt)                                               \
    EMULATOR_SMALL_COMPARISON(type, pair, >=, __hge)                                              \
    EMULATOR_SMALL_FUNCTION(type, pair, __hneg, h2neg_, -a)                                       \
    EMULATOR_SMALL_FUNCTION(type, pair, __habs, h2abs_, fabsf(a))                                 \
    EMULATOR_SMALL_FUNCTION(type, pair, hexp, h2exp, expf(a))                                     \
    EMULATOR_SMALL_FUNCTION(type, pair, hexp2, h2exp2, exp2f(a))                                  \
    EMULATOR_SMALL_FUNCTION(type, pair, hlog, h2log, logf(a))                                     \
    EMULATOR_SMALL_FUNCTION(type, pair, hlog2, h2log2, log2f(a))                                  \
    EMULATOR_SMALL_FUNCTION(type, pair, hsqrt, h2sqrt, sqrtf(a))                                  \
    EMULATOR_SMALL_FUNCTION(type, pair, hrsqrt, h2rsqrt, rsqrtf(a))                               \
    EMULATOR_SMALL_FUNCTION(type, pair, hrcp, h2rcp, 1.0f / a)                                    \
    EMULATOR_SMALL_FUNCTION(type, pair, hsin, h2sin, sinf(a))                                     \
    EMULATOR_SMALL_FUNCTION(type, pair, hcos, h2cos, cosf(a))                                     \
    EMULATOR_SMALL_FUNCTION(type, pair, htanh, h2tanh, tanhf(a))                                  \
    EMULATOR_SMALL_FUNCTION(type, pair, hfloor, h2floor, floorf(a))                               \
    EMULATOR_SMALL_FUNCTION(type, pair, hceil, h2ceil, ceilf(a))                                  \
    EMULATOR_SMALL_FUNCTION(type, pair, htrunc, h2trunc, truncf(a))                               \
    EMULATOR_SMALL_FUNCTION(type, pair, hrint, h2rint, nearbyintf(a))                             \
    inline pair __hneg2(pair a) {                                                                 \
        return -a;                                                                                \
    }                                                                                             \
    inline pair __habs2(pair a) {                                                                 \
        return h2abs_(a);                                                                         \
    }                                                                                             \
    /* In FP64, where the product is exact. */                                                    \
    inline type __hfma(type a, type b, type c) {                                                  \
        return type(static_cast<float>(double(float(a)) * float(b) + double(float(c))));          \
    }                                                                                             \
    inline pair __hfma2(pair a, pair b, pair c) {                                                 \
        return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                    \
    }                                                                                             \
    inline type __hfma_relu(type a, type b, type c) {                                             \
        return type(fmaxf(__hfma(a, b, c), 0.0f));                                                \
    }                                                                                             \
    inline type __hmax(type a, type b) {                                                          \
        return type(fmaxf(a, b));                                                                 \
    }                                                                                             \
    inline type __hmin(type a, type b) {                                                          \
        return type(fminf(a, b));                                                                 \
    }                                                                                             \
    inline pair __hmax2(pair a, pair b) {                                                         \
        return {__hmax(a.x, b.x), __hmax(a.y, b.y)};                                              \
    }                                                                                             \
    inline pair __hmin2(pair a, pair b) {                                                         \
        return {__hmin(a.x, b.x), __hmin(a.y, b.y)};                                              \
    }                                                                                             \
    inline bool __hisnan(type a) {                                                                \
        return float(a) != float(a);                                                              \
    }                                                                                             \
    inline int __hisinf(type a) {                                                                 \
        return std::isinf(float(a)) ? (float(a) < 0 ? -1 : 1) : 0;                                \
    }                                                                                             \
    inline float __low2float(pair a) {                                                            \
        return a.x;                                                                               \
    }                                                                                             \
    inline float __high2float(pair a) {                                                           \
        return a.y;                                                                               \
    }                                                                                             \
    inline pair __lowhigh2highlow(pair a) {                                                       \
        return {a.y, a.x};                                                                        \
    }

#define EMULATOR_SMALL_ARITHMETIC(type, pair, operation, name)              \
    inline type operator operation(const type& a, const type& b) {          \
        return type(static_cast<float>(a) operation static_cast<float>(b)); \
    }                                                                       \
    inline type& operator operation##=(type& a, const type& b) {            \
        return a = a operation b;                                           \
    }                                                                       \
    inline pair operator operation(const pair& a, const pair& b) {          \
        return {a.x operation b.x, a.y operation b.y};                      \
    }                                                                       \
    inline pair& operator operation##=(pair& a, const pair& b) {            \
        return a = a operation b;                                           \
    }                                                                       \
    inline type name(type a, type b) {                                      \
        return a operation b;                                               \
    }                                                                       \
    inline type name##_rn(type a, type b) {                                 \
        return a operation b;                                               \
    }                                                                       \
    inline type name##_sat(type a, type b) {                                \
        return type(__saturatef(a operation b));                            \
    }                                                                       \
    inline pair name##2(pair a, pair b) {                                   \
        return a operation b;                                               \
    }                                                                       \
    inline pair name##2_rn(pair a, pair b) {                                \
        return a operation b;                                               \
    }

#define EMULATOR_SMALL_COMPARISON(type, pair, operation, name)        \
    inline bool operator operation(const type& a, const type& b) {    \
        return static_cast<float>(a) operation static_cast<float>(b); \
    }                                                                 \
    inline bool name(type a, type b) {                                \
        return a operation b;                                         \
    }                                                                 \
    inline pair name##2(pair a, pair b) {                             \
        return {type(a.x operation b.x), type(a.y operation b.y)};    \
    }

#define EMULATOR_SMALL_FUNCTION(type, pair, name, name2, expression) \
    inline type name(type value) {                                   \
        const float a = value;                                       \
        return type(expression);                                     \
    }                                                                \
    inline pair name2(pair value) {                                  \
        return {name(value.x), name(value.y)};                       \
    }
