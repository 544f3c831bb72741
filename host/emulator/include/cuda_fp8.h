// FP8: the types, and conversions that are declared so that a source compiles; calling one is an error of the linker's
// that names it.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

#define EMULATOR_FP8(type)               \
    struct type {                        \
        __nv_fp8_storage_t __x;          \
        type() = default;                \
        explicit type(float value);      \
        explicit type(__half value);     \
        explicit operator float() const; \
    };
EMULATOR_FP8(__nv_fp8_e4m3)
EMULATOR_FP8(__nv_fp8_e5m2)
#undef EMULATOR_FP8
