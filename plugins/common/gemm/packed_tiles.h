// An operand as the tensor cores of Hopper read it (wgmma.h): packed into tiles of some lines by 64 n, and each number
// split into several of a narrower format. A line is a row of A, or a column of B: n runs along both. A tile is what a
// bulk copy brings: for each part its lines of 128 bytes, swizzled, and then the factors that the lines are to be
// multiplied by. Where the operand ends, the last tiles are filled up with zeros.
#pragma once

#include "../export/gemm.h"
#include "../ptx/max_or_nan.h"
#include "../ptx/wgmma.h"

namespace ladder {

// An operand in memory: line i's number n is start()[i * of_line + n * of_n], and one of the two strides is 1.
struct Lines {
    const float* data;
    const float* const* slot;  // where the device finds the matrix; null: at `data`
    int64_t of_line, of_n;
    int count;
    bool vector = false;  // where its numbers are contiguous, four can be read at once, from each fourth on

    __device__ __forceinline__ const float* start() const { return slot ? *slot : data; }
};

inline Lines lines_of_a(const solve_gemm_t& call, int i) {
    const bool t = call.transpose_a == SOLVE_T;
    return {call.A + i * call.stride_a,
            call.A_array ? call.A_array + i : nullptr,
            t ? 1 : call.lda,
            t ? call.lda : 1,
            call.M,
            vector_operand(call.A, call.A_array, call.lda, call.stride_a, t ? call.M : call.N)};
}
inline Lines lines_of_b(const solve_gemm_t& call, int i) {
    const bool t = call.transpose_b == SOLVE_T;
    return {call.B + i * call.stride_b,
            call.B_array ? call.B_array + i : nullptr,
            t ? call.ldb : 1,
            t ? 1 : call.ldb,
            call.K,
            vector_operand(call.B, call.B_array, call.ldb, call.stride_b, t ? call.N : call.K)};
}

constexpr int kPackedDepth = 64;
constexpr int kPackSide = 64, kPackThreads = 256;  // a block packs a square of an operand

// In shared memory, a block's square, line by line: number n at place_of_n(n). The gap of four before n = 32, and lines
// of 69 words, leave no bank conflicts: neither where a warp writes 32 n of a line, or 32 lines of an n, nor where it
// reads one word of each eight n, of four whole lines (split_square) or of one half of eight (QuarterLine).
using PackSquare = float[kPackSide][kPackSide + 5];
__host__ __device__ constexpr int place_of_n(int n) {
    return n + n / 32 * 4;
}

// Bytes of a part of a tile of so many lines, and of the tile. Format says into how many parts of 16 bits a number is
// split, how many factors a line of a tile has, and of how many lines the tiles of A and B are: kRows and kCols.
constexpr __host__ __device__ int part_bytes(int lines) {
    return lines * kPackedDepth * 2;
}
template <class Format>
constexpr __host__ __device__ int packed_bytes(int lines) {
    const int factors = Format::kFactors * lines * static_cast<int>(sizeof(float));
    return Format::kParts * part_bytes(lines) + (factors + 1023) / 1024 * 1024;  // as the swizzle wants it
}

// Of a whole operand of `count` lines.
template <class Format>
__host__ __device__ size_t packed_size(int count, int lines, int N) {
    return size_t(ceil_div(count, lines)) * ceil_div(N, kPackedDepth) * packed_bytes<Format>(lines);
}

// The bits of the largest magnitude of some numbers, and of 64, of which eight lanes have eight each, the first of
// them a lane whose number is a multiple of 8: those of an infinity, or more, if one of them is infinite or NaN. And
// the sum of what these lanes have.
template <int kCount>
__device__ __forceinline__ unsigned most_of(const float (&value)[kCount]) {
    float most = fabsf(value[0]);
#pragma unroll
    for (int q = 1; q < kCount; ++q) most = max_or_nan(most, fabsf(value[q]));
    return __float_as_uint(most) & 0x7fffffffu;
}
__device__ __forceinline__ unsigned most_of_64(const float (&value)[8]) {
    float most = __uint_as_float(most_of(value));
#pragma unroll
    for (int distance = 1; distance < 8; distance *= 2) {
        most = max_or_nan(most, __shfl_xor_sync(0xffffffff, most, distance));
    }
    return __float_as_uint(most) & 0x7fffffffu;
}
__device__ __forceinline__ int sum_of_eight(int value) {
#pragma unroll
    for (int distance = 1; distance < 8; distance *= 2) value += __shfl_xor_sync(0xffffffff, value, distance);
    return value;
}

}  // namespace ladder
