// Complex numbers, as cuBLAS takes them.
#pragma once

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

inline cuFloatComplex make_cuFloatComplex(float real, float imaginary) {
    return {real, imaginary};
}
inline cuComplex make_cuComplex(float real, float imaginary) {
    return {real, imaginary};
}
inline cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) {
    return {real, imaginary};
}
inline float cuCrealf(cuFloatComplex a) {
    return a.x;
}
inline float cuCimagf(cuFloatComplex a) {
    return a.y;
}
inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) {
    return {a.x + b.x, a.y + b.y};
}
inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
