// A product of operands that are packed for the tensor cores (packed_tiles.h), but for the multiplication itself: what
// the kernel is told, how a warpgroup's sums are stored, and the product in FP32, from the operands as they are, for
// numbers that cannot be split.
#pragma once

#include "epilogue.h"
#include "packed_tiles.h"
#include "ring.h"
#include "tile_order.h"
#include "turns.h"

namespace ladder {

struct SplitJob {
    SplitOperands operands;  // in the format that the kernel multiplies: as<Format>()
    float* C;
    float* const* slot_of_c;  // as that of Lines
    int64_t ldc;
    Epilogue epilogue;
    bool vector_c;

    // What the packing has found, from L2, since another launch may have left an older one in L1. Where nothing is
    // packed, for want of memory, FP32 alone will do.
    __device__ __forceinline__ unsigned level() const { return operands.level ? __ldcg(operands.level) : 2; }

    template <class Format>
    __host__ __device__ SplitJob as() const {
        SplitJob result = *this;
        result.operands = operands.as<Format>();
        return result;
    }

    __device__ __forceinline__ int rows() const { return operands.a.count; }
    __device__ __forceinline__ int cols() const { return operands.b.count; }

    template <int kRows, int kCols>
    __device__ __forceinline__ int tiles() const {
        return ceil_div(rows(), kRows) * ceil_div(cols(), kCols);
    }
    // The first row and column of C of a tile.
    template <int kRows, int kCols>
    __device__ __forceinline__ int2 corner(int tile) const {
        return corner_of<kRows, kCols>(tile, rows(), cols());
    }
};

// The ring of tiles in shared memory, and the threads: a warpgroup for each 64 rows, and one that copies. Of large
// tiles one block runs per SM, of small ones two.
template <class Format>
struct SplitTiles {
    static constexpr int kStages = Format::kStages;
    static constexpr int kConsumers = Format::kRows * 2, kThreads = kConsumers + 128;
    static constexpr int kBytesA = packed_bytes<Format>(Format::kRows), kBytesB = packed_bytes<Format>(Format::kCols);
    struct alignas(1024) Stage {
        char a[kBytesA], b[kBytesB];
        Mbarrier full, empty;
    };
    struct Shared {
        Stage stages[kStages];
        Mbarrier turns[2];
    };
    static constexpr int kBlocks = kConsumers > 128 ? 1 : 2;
    static_assert(kBlocks * (sizeof(Shared) + 1024) <= 228 << 10, "shared memory per SM");
};

// Where in its tile of C a thread's word 0 is; word 4j + 2h + c is h * 8 rows and 8j + c columns further (wgmma.h).
__device__ __forceinline__ int2 split_place() {
    return make_int2(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, threadIdx.x % 4 * 2);
}

// sum += part, each word scaled back by the factors of its row and its column: a Format::kFactors of them, one
// `of_rows` or `of_cols` floats behind the other, beginning with those of word 0.
template <class Format, int kWords>
__device__ __forceinline__ void add_scaled(const float* rows, int of_rows, const float* cols, int of_cols,
                                           const float (&part)[kWords], float (&sum)[kWords]) {
    float of_row[2][Format::kFactors], of_col[Format::kFactors];
#pragma unroll
    for (int f = 0; f < 2 * Format::kFactors; ++f) of_row[f % 2][f / 2] = rows[f / 2 * of_rows + f % 2 * 8];
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
        const int word = i / 4 * 4 + i % 2 * 2 + i / 2 % 2;  // the two rows of a column together
#pragma unroll
        for (int f = 0; f < Format::kFactors && i % 2 == 0; ++f) of_col[f] = cols[f * of_cols + i / 4 * 8 + word % 2];
        sum[word] = Format::add(sum[word], part[word], of_row[i % 2], of_col);
    }
}

template <int kWords>
__device__ __forceinline__ void store_split(const SplitJob& job, int2 corner, const float (&sum)[kWords]) {
    const int2 place = split_place();
    float* const C = job.slot_of_c ? *job.slot_of_c : job.C;
#pragma unroll
    for (int i = 0; i < kWords; i += 2) {
        const int row = corner.x + place.x + i / 2 % 2 * 8, col = corner.y + place.y + i / 4 * 8;
        if (row >= job.rows() || col >= job.cols()) continue;
        float* const c = C + row * job.ldc + col;
        if (job.vector_c && job.epilogue.beta == 0.0f) {
            *reinterpret_cast<float2*>(c) = make_float2(job.epilogue.alpha * sum[i], job.epilogue.alpha * sum[i + 1]);
        } else {
            job.epilogue.store(c, sum[i]);
            if (col + 1 < job.cols()) job.epilogue.store(c + 1, sum[i + 1]);
        }
    }
}

// Adds products in FP32 to a thread's words of a tile, of which the first is in that row and column of C: those of n
// from `first` on, up to `last`. Each word of A and B comes from memory, or L1, for itself.
template <int kWords>
__device__ __forceinline__ void add_as_they_are(const SplitJob& job, int row, int col, int first, int last,
                                                float (&sum)[kWords]) {
    const float *const A = job.operands.a.start(), *const B = job.operands.b.start();
    // Past the last row or column the last one is computed again, and not stored.
    const auto line = [&](const Lines& lines, int number) { return min(number, lines.count - 1) * lines.of_line; };
    const float* const upper = A + line(job.operands.a, row);
    const float* const lower = A + line(job.operands.a, row + 8);
    for (int n = first; n < last; ++n) {
        const float of_upper = upper[n * job.operands.a.of_n], of_lower = lower[n * job.operands.a.of_n];
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            const float b = B[line(job.operands.b, col + i / 4 * 8 + i % 2) + n * job.operands.b.of_n];
            sum[i] = fmaf(i / 2 % 2 ? of_lower : of_upper, b, sum[i]);
        }
    }
}

// The tiles of C in FP32, by two threads for each row of a tile.
template <int kRows, int kCols>
__device__ __forceinline__ void multiply_as_they_are(const SplitJob& job) {
    const int2 place = split_place();
    for (int tile = blockIdx.x; tile < job.tiles<kRows, kCols>(); tile += gridDim.x) {
        const int2 corner = job.corner<kRows, kCols>(tile);
        float sum[kCols / 2] = {};
        add_as_they_are(job, corner.x + place.x, corner.y + place.y, 0, job.operands.N, sum);
        store_split(job, corner, sum);
    }
}

}  // namespace ladder
