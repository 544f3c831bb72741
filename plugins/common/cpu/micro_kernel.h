// The innermost part of a packed SGEMM: one tile of C in registers, for the instruction sets that matter.
//
// A tile is `rows` x `cols`. For each n the kernel reads `cols` floats of B as vectors and `rows` floats of A as
// scalars, and does rows * cols multiply-adds: nothing but multiply-adds touches the sums, so they stay in registers
// until the end. Both operands are packed in the order in which they are read, so every access walks forward.
//
//   AVX-512   14 x 32: 28 sums + 2 vectors of B of 32 registers; A is broadcast through the remaining two
//   AVX2       6 x 16: 12 sums + 2 of B of 16
//   portable   6 x  8: 12 sums + 2 of B of 16 (SSE2 on x86-64; NEON, whose multiply-add the compiler finds)
//
// Two loads of B and `rows` broadcasts feed 2 * rows multiply-adds, so the multiply-adds set the pace: a Zen 4 core
// issues one of 512 bits a cycle (32 FLOP) or two of 256 bits, against two loads. Twelve sums are also what 2 x 4
// cycles of latency ask for at the least (8); 28 are plenty.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ladder {

// Where a tile of C goes: C = sign * tile, or C += sign * tile. `rows` and `cols` count what C still has from the
// tile's corner on, which may be less than a tile, or nothing.
struct Destination {
    float* data;
    int64_t leading;
    int64_t rows, cols;
    float sign;
    bool add;
};

// a: steps x rows, b: steps x cols, both packed; the finished tile goes to every one of `count` destinations.
using MicroKernel = void (*)(int64_t steps, const float* a, const float* b, const Destination* to, int count);

// A macro, because a target attribute cannot be a template's parameter, and vector code in a function without the
// attribute is split into 16-byte pieces before it could be inlined into one that has it. The vectors are GCC's: the
// same text for every width; aligned(4), since nothing more is promised for C. At an edge the tile goes through
// memory, and only what C has is copied. C is asked for before the sums start, which gives it their time to arrive.
#define LADDER_MICRO_KERNEL(NAME, TARGET, ROWS, VECTORS, LANES)                                                      \
    TARGET inline void NAME(int64_t steps, const float* a, const float* b, const Destination* to, int count) {       \
        typedef float Vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));                         \
        for (int t = 0; t < count; ++t) {                                                                            \
            for (int64_t i = 0; i < std::min<int64_t>(to[t].rows, ROWS); ++i) {                                      \
                for (int j = 0; j < VECTORS; ++j) __builtin_prefetch(to[t].data + i * to[t].leading + j * LANES, 1); \
            }                                                                                                        \
        }                                                                                                            \
        Vector sum[ROWS][VECTORS] = {};                                                                              \
        for (; steps > 0; --steps, a += ROWS, b += VECTORS * LANES) {                                                \
            Vector right[VECTORS];                                                                                   \
            _Pragma("GCC unroll 16") for (int j = 0; j < VECTORS; ++j) {                                             \
                right[j] = *reinterpret_cast<const Vector*>(b + j * LANES);                                          \
            }                                                                                                        \
            _Pragma("GCC unroll 16") for (int i = 0; i < ROWS; ++i) {                                                \
                _Pragma("GCC unroll 16") for (int j = 0; j < VECTORS; ++j) sum[i][j] += a[i] * right[j];             \
            }                                                                                                        \
        }                                                                                                            \
        for (; count > 0; --count, ++to) {                                                                           \
            const bool whole = to->rows >= ROWS && to->cols >= VECTORS * LANES;                                      \
            float edge[ROWS][VECTORS * LANES];                                                                       \
            float* const c = whole ? to->data : edge[0];                                                             \
            const int64_t leading = whole ? to->leading : VECTORS * LANES;                                           \
            const bool add = whole && to->add;                                                                       \
            _Pragma("GCC unroll 16") for (int i = 0; i < ROWS; ++i) {                                                \
                _Pragma("GCC unroll 16") for (int j = 0; j < VECTORS; ++j) {                                         \
                    Vector* const at = reinterpret_cast<Vector*>(c + i * leading + j * LANES);                       \
                    *at = add ? *at + to->sign * sum[i][j] : to->sign * sum[i][j];                                   \
                }                                                                                                    \
            }                                                                                                        \
            if (whole) continue;                                                                                     \
            const int64_t rows = std::min<int64_t>(to->rows, ROWS),                                                  \
                          cols = std::min<int64_t>(to->cols, VECTORS * LANES);                                       \
            for (int64_t i = 0; i < rows; ++i) {                                                                     \
                float* const row = to->data + i * to->leading;                                                       \
                for (int64_t j = 0; j < cols; ++j) row[j] = to->add ? row[j] + edge[i][j] : edge[i][j];              \
            }                                                                                                        \
        }                                                                                                            \
    }

#if defined(__x86_64__)
LADDER_MICRO_KERNEL(micro_avx512, __attribute__((target("avx512f"))), 14, 2, 16)
LADDER_MICRO_KERNEL(micro_avx2, __attribute__((target("avx2,fma"))), 6, 2, 8)
#endif
LADDER_MICRO_KERNEL(micro_portable, , 6, 2, 4)
#undef LADDER_MICRO_KERNEL

struct Tile {
    MicroKernel run;
    int rows, cols;
};

// The widest that this CPU (and its operating system) can run.
inline Tile best_tile() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return {micro_avx512, 14, 32};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {micro_avx2, 6, 16};
#endif
    return {micro_portable, 6, 8};
}

}  // namespace ladder
