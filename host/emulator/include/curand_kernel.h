// cuRAND's device interface, declared so that a source compiles; calling it is an error of the linker's that names it.
#pragma once

#include "curand.h"

struct curandStateXORWOW {
    unsigned d, v[5];
};
struct curandStatePhilox4_32_10 {
    uint4 counter, output;
    uint2 key;
    unsigned state;
};
struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

#define EMULATOR_CURAND(state)                                                                                 \
    void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, state*); \
    unsigned curand(state*);                                                                                   \
    float curand_uniform(state*);                                                                              \
    double curand_uniform_double(state*);                                                                      \
    float curand_normal(state*);                                                                               \
    float2 curand_normal2(state*);                                                                             \
    double curand_normal_double(state*);                                                                       \
    float curand_log_normal(state*, float mean, float sd);                                                     \
    float4 curand_uniform4(state*);                                                                            \
    float4 curand_normal4(state*);
EMULATOR_CURAND(curandStateXORWOW)
EMULATOR_CURAND(curandStatePhilox4_32_10)
EMULATOR_CURAND(curandStateMRG32k3a)
#undef EMULATOR_CURAND
