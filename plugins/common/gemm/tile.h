// How a tile gets from global memory into registers, four floats at a time where that is legal. Shared by the rungs
// whose lesson is what happens to the tile afterwards.
#pragma once

#include <cstdint>

#include "../export/launch.h"

namespace ladder {

// Moves four floats in one 128-bit access; both addresses must be multiples of 16 bytes.
__device__ __forceinline__ void copy4(float* to, const float* from) {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
}

// One thread's share of a kRows x kCols tile, held in registers between global and shared memory.
//   kVector   groups of 4 neighbours: for a 128 x 8 tile and 256 threads, thread 5 takes row 2, columns 4 to 7.
//   otherwise single elements, neighbours to neighbouring threads so that a warp's load stays in few cache lines:
//             thread 5 takes column 5 of the rows 0, 32, 64 and 96.
template <int kRows, int kCols, int kThreads, bool kVector>
struct TilePart {
    static constexpr int kCount = kRows * kCols / kThreads;  // floats per thread
    static constexpr int kWidth = kVector ? 4 : 1;           // floats an access
    static constexpr int kRowStep = kThreads * kWidth / kCols;

    static_assert(kRows * kCols % (kThreads * kWidth) == 0, "every thread takes equally many whole groups");
    static_assert(kThreads * kWidth % kCols == 0, "a pass of all threads covers whole rows");
    static_assert(kCols % kWidth == 0, "a group does not pass the end of a row");

    alignas(16) float value[kCount];
    const float* next;  // where value[0] comes from at the next fetch
    const int64_t ld;
    const int first_row, first_col;

    // For the thread of that number, and tiles of a matrix whose rows have the stride ld, the first of which starts at
    // `tile`.
    __device__ TilePart(int thread, const float* tile, int64_t ld)
        : ld(ld), first_row(thread / (kCols / kWidth)), first_col(thread % (kCols / kWidth) * kWidth) {
        next = tile + first_row * ld + first_col;
    }

    // Where value[i] belongs in the tile.
    __device__ int row(int i) const { return first_row + i / kWidth * kRowStep; }
    __device__ int col(int i) const { return first_col + i % kWidth; }

    // Fills value from a tile whose corner has `rows` more rows and `cols` more columns of the matrix ahead of it (0 or
    // less: none). What lies past them reads as 0 and is not touched. The next tile starts `step` floats later.
    __device__ void fetch(int rows, int cols, int64_t step) {
#pragma unroll
        for (int i = 0; i < kCount; i += kWidth) {
            const int offset = i / kWidth * kRowStep;  // rows below the first
            const bool inside = offset < rows - first_row && first_col < cols;
            const float* from = next + offset * ld;
            if constexpr (kVector) {
                const float4 group = inside ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
                value[i] = group.x, value[i + 1] = group.y, value[i + 2] = group.z, value[i + 3] = group.w;
            } else {
                value[i] = inside ? *from : 0.0f;
            }
        }
        next += step;
    }
};

}  // namespace ladder
