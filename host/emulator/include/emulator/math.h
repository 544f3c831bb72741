// The arithmetic that device code finds without an #include.
#pragma once

#include <math.h>  // isfinite and abs in the global namespace

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

namespace emulator {
template <class To, class From>
inline To reinterpret_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}
}  // namespace emulator
