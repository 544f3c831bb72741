// The last few rows and columns of C, where they are too few for a tile: 2049 x 2049 is 16 x 16 tiles of 128 x 128, and
// a row and a column, for which 33 more tiles would have 132 SMs begin a third wave. They are computed in FP32, while
// the operands of the tiles are packed: a block that has a square of A multiplies it by the last columns of B, and one
// that has a square of B by the last rows of A. What they leave is added while the tiles are multiplied (add_edges.h).
#pragma once

#include "../ptx/early_launch.h"
#include "packed_tiles.h"

namespace ladder {

constexpr int kMostEdges = 4;  // rows, and columns

struct EdgeLines {
    int2 count;    // rows and columns of C, behind those of which a and b of SplitOperands count the lines
    float* parts;  // of each column, for each step of 64 n, what all rows of C have; and behind them of each row, what
                   // the columns of tiles have

    __host__ __device__ bool any() const { return count.x + count.y > 0; }
};

// Floats of all parts, with so many rows and columns of tiles.
inline size_t parts_of_edges(int2 edges, int rows, int cols, int N) {
    return (size_t(edges.y) * (rows + edges.x) + size_t(edges.x) * cols) * ceil_div(N, kPackedDepth);
}

// What a block of the packing needs in shared memory: the last lines of the other operand, and for the corner its own.
struct EdgeShared {
    alignas(16) float others[kMostEdges][kPackSide];
    float own[kMostEdges][place_of_n(kPackSide)];
};

// Which number of the 64 n of an operand's last lines a thread reads: those of neighbours are contiguous in memory.
struct EdgeWord {
    int edge, n;

    __device__ __forceinline__ explicit EdgeWord(const Lines& lines) {
        static_assert(kPackThreads == kMostEdges * kPackSide);
        const bool along_n = lines.of_n == 1;
        edge = along_n ? threadIdx.x / kPackSide : threadIdx.x % kMostEdges;
        n = along_n ? threadIdx.x % kPackSide : threadIdx.x / kMostEdges;
    }
    // Of `edges` lines behind the operand's last one, and of n from `first` on.
    __device__ __forceinline__ float read(const Lines& lines, int edges, int first, int N) const {
        const float* const from = lines.start() + (lines.count + edge) * lines.of_line + (first + n) * lines.of_n;
        return load_ahead(from, edge < edges && first + n < N);
    }
};

// A quarter of a line's 64 n, 8 of 32: four adjacent lanes have one each.
struct QuarterLine {
    float value[16];

    __device__ __forceinline__ explicit QuarterLine(const float* line) {
#pragma unroll
        for (int i = 0; i < 16; ++i) value[i] = line[first() + place_of_n(n_of(i))];
    }
    // The sum over the line's 64 n, for all four lanes.
    __device__ __forceinline__ float multiply(const float (&edge)[kPackSide]) const {
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < 16; ++i) sum = fmaf(value[i], edge[first() + n_of(i)], sum);
#pragma unroll
        for (int distance = 1; distance < 4; distance *= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
        return sum;
    }

  private:
    static __device__ __forceinline__ int first() {
        return threadIdx.x % 4 * 8;
    }
    static constexpr __host__ __device__ int n_of(int i) {
        return i / 8 * 32 + i % 8;
    }
};

// Stores the sums over these n for a square's lines, of which `lines` are inside, and each of the `others` edges: that
// of line i and edge e at parts[e * of_edge + i]. For the corner of C the same for the `own` lines behind the operand's
// last one, whose sums lie `to_corner` floats further.
__device__ __forceinline__ void multiply_edges(const EdgeShared& shared, const PackSquare& square, int others,
                                               float* parts, int64_t of_edge, int lines, int own, int to_corner) {
    static_assert(kPackThreads == 4 * kPackSide && kMostEdges <= kPackSide);
    const int line = threadIdx.x / 4;
    const bool stores = threadIdx.x % 4 == 0;
    const auto store = [&](const float* numbers, float* to, bool inside) {
        const QuarterLine quarter(numbers);
#pragma unroll 1
        for (int edge = 0; edge < others; ++edge, to += of_edge) {
            const float sum = quarter.multiply(shared.others[edge]);
            if (stores && inside) *to = sum;
        }
    };
    store(square[line], parts + line, line < lines);
    if (own > 0) store(shared.own[line % kMostEdges], parts + line + to_corner, line < own);
}

}  // namespace ladder
