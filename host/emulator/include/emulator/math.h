// The arithmetic that device code finds without an #include.
#pragma once

#include <cmath>
#include <cstring>

// math.h puts fmaf, sqrtf, fabsf and the like into the global namespace; CUDA adds min and max for every pair of
// arithmetic types. Not templates, so that a `using namespace std` does not make them ambiguous.
#define EMULATOR_MIN_MAX(result, left, right)                                                                     \
    constexpr result min(left a, right b) {                                                                       \
        return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
    }                                                                                                             \
    constexpr result max(left a, right b) {                                                                       \
        return static_cast<result>(b) < static_cast<result>(a) ? static_cast<result>(a) : static_cast<result>(b); \
    }
#define EMULATOR_INTEGER_MIN_MAX(type)                            \
    EMULATOR_MIN_MAX(type, type, type)                            \
    EMULATOR_MIN_MAX(unsigned type, unsigned type, unsigned type) \
    EMULATOR_MIN_MAX(unsigned type, type, unsigned type)          \
    EMULATOR_MIN_MAX(unsigned type, unsigned type, type)
EMULATOR_INTEGER_MIN_MAX(int)
EMULATOR_INTEGER_MIN_MAX(long)
EMULATOR_INTEGER_MIN_MAX(long long)
#undef EMULATOR_INTEGER_MIN_MAX
#undef EMULATOR_MIN_MAX

// A NaN operand gives the other one, as fminf does.
inline float min(float a, float b) {
    return fminf(a, b);
}
inline float max(float a, float b) {
    return fmaxf(a, b);
}
inline double min(double a, double b) {
    return fmin(a, b);
}
inline double max(double a, double b) {
    return fmax(a, b);
}
inline double min(float a, double b) {
    return fmin(a, b);
}
inline double max(float a, double b) {
    return fmax(a, b);
}
inline double min(double a, float b) {
    return fmin(a, b);
}
inline double max(double a, float b) {
    return fmax(a, b);
}

template <class T>
inline T __ldg(const T* address) {
    return *address;
}
template <class T>
inline T __ldcg(const T* address) {
    return *address;
}
template <class T>
inline T __ldca(const T* address) {
    return *address;
}
template <class T>
inline T __ldcs(const T* address) {
    return *address;
}
template <class T>
inline void __stcg(T* address, T value) {
    *address = value;
}
template <class T>
inline void __stcs(T* address, T value) {
    *address = value;
}

inline float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
    return fma(a, b, c);
}

// These promise not to be fused with their neighbours; volatile keeps g++ from contracting them.
inline float __fadd_rn(float a, float b) {
    volatile float sum = a + b;
    return sum;
}
inline float __fsub_rn(float a, float b) {
    volatile float difference = a - b;
    return difference;
}
inline float __fmul_rn(float a, float b) {
    volatile float product = a * b;
    return product;
}
inline float __fdiv_rn(float a, float b) {
    return a / b;
}
inline float __fsqrt_rn(float a) {
    return sqrtf(a);
}
inline float __frcp_rn(float a) {
    return 1.0f / a;
}
inline float __fdividef(float a, float b) {
    return a / b;
}
inline float __expf(float a) {
    return expf(a);
}
inline float __logf(float a) {
    return logf(a);
}
inline float rsqrtf(float a) {
    return 1.0f / sqrtf(a);
}

inline int __mul24(int a, int b) {
    return a * b;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned long long>(a) * b >> 32;
}
inline int __popc(unsigned a) {
    return __builtin_popcount(a);
}
inline int __clz(int a) {
    return a == 0 ? 32 : __builtin_clz(a);
}
inline int __ffs(int a) {
    return __builtin_ffs(a);
}
inline unsigned __brev(unsigned a) {
    unsigned reversed = 0;
    for (int i = 0; i < 32; ++i) reversed |= (a >> i & 1) << (31 - i);
    return reversed;
}

namespace emulator {
template <class To, class From>
inline To reinterpret_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}
}  // namespace emulator

inline int __float_as_int(float a) {
    return ::emulator::reinterpret_bits<int>(a);
}
inline unsigned __float_as_uint(float a) {
    return ::emulator::reinterpret_bits<unsigned>(a);
}
inline float __int_as_float(int a) {
    return ::emulator::reinterpret_bits<float>(a);
}
inline float __uint_as_float(unsigned a) {
    return ::emulator::reinterpret_bits<float>(a);
}

inline size_t __cvta_generic_to_shared(const void* address) {
    return reinterpret_cast<size_t>(address);
}
