// A product of operands that are packed for the tensor cores (packed_tiles.h), but for the multiplication itself: what
// the kernel is told, what it has in shared memory, and how a warpgroup's sums are scaled and added.
#pragma once

#include "epilogue.h"
#include "pack_squares.h"
#include "ring.h"
#include "tile_order.h"

namespace ladder {

struct SplitJob {
    SplitOperands operands;  // in the format that the kernel multiplies: as<Format>()
    float* C;
    float* const* slot_of_c;  // as that of Lines
    int64_t ldc;
    Epilogue epilogue;
    bool vector_c;     // pairs of words can be stored
    bool has_sectors;  // and rows of C begin at sectors of memory, of 32 bytes
    EdgeLines edges;   // behind the tiles, for the packing at level 0

    // What the packing has found, from L2, since another launch may have left an older one in L1. Where nothing is
    // packed, for want of memory, FP32 alone will do.
    __device__ __forceinline__ unsigned level() const { return operands.state ? __ldcg(&operands.state->level) : 2; }

    template <class Format>
    __host__ __device__ SplitJob as() const {
        SplitJob result = *this;
        result.operands = operands.as<Format>();
        return result;
    }

    __device__ __forceinline__ int steps() const { return ceil_div(operands.N, kPackedDepth); }
    __device__ __forceinline__ int rows() const { return operands.a.count; }
    __device__ __forceinline__ int cols() const { return operands.b.count; }

    __device__ __forceinline__ float* start_of_c() const { return slot_of_c ? *slot_of_c : C; }

    // Whether sums are stored as they lie in registers, two neighbours at once.
    __device__ __forceinline__ bool stores_pairs() const { return vector_c && epilogue.beta == 0.0f; }

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

// The ring of tiles in shared memory, and the threads: two warpgroups, or one of a small tile, and one that copies. Of
// large tiles one block runs per SM, of small ones two. A tile of 64 rows and more columns has two warpgroups too, and
// these are slices: each has every second 64 n, so that one adds while the other one's products come.
template <class Format>
struct SplitTiles {
    static constexpr int kStages = Format::kStages;
    static constexpr int kSlices = Format::kRows == 64 && Format::kCols > 64 ? 2 : 1;
    static constexpr int kConsumers = Format::kRows * 2 * kSlices, kThreads = kConsumers + 128;
    static constexpr int kPackedA = packed_bytes<Format>(Format::kRows), kPackedB = packed_bytes<Format>(Format::kCols);
    struct alignas(1024) Stage {
        char a[Format::kParts * part_bytes(Format::kRows)], b[Format::kParts * part_bytes(Format::kCols)];
        Mbarrier full, empty;
    };
    struct Factors {
        float a[Format::kFactors][Format::kRows], b[Format::kFactors][Format::kCols];
    };
    // A stage's factors are still read after the stage was released and may be filled again, and with two slices while
    // the other slice releases the next one: so there are kSlices more places for factors than stages.
    struct Shared {
        Stage stages[kStages];
        Factors factors[kStages + kSlices];
        Mbarrier meeting;
    };
    static constexpr int kBlocks = kConsumers > 128 ? 1 : 2;
    static_assert(kBlocks * (sizeof(Shared) + 1024) <= 228 << 10, "shared memory per SM");

    // A barrier of the consumer warps; parities alternate from 0 on.
    static __device__ __forceinline__ void meet(Shared& shared, int parity) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) shared.meeting.arrive();
        shared.meeting.wait(parity);
    }
    // For the tile's sums.
    static __device__ __forceinline__ float* room(Stage& stage) {
        static_assert(sizeof(stage.a) + sizeof(stage.b) >= Format::kRows * Format::kCols * sizeof(float));
        return reinterpret_cast<float*>(stage.a);
    }

    static __device__ __forceinline__ int warpgroup() { return __shfl_sync(0xffffffff, threadIdx.x / 128, 0); }
    static __device__ __forceinline__ int slice() { return kSlices > 1 ? warpgroup() : 0; }
    static __device__ __forceinline__ int first_row() { return Format::kRows == 64 ? 0 : warpgroup() * 64; }
};

// A walk through the stages, and through their factors.
template <class Format>
struct SplitRing {
    using T = SplitTiles<Format>;
    __device__ __forceinline__ explicit SplitRing(typename T::Shared& shared)
        : stages(shared), first(opaque_shared(shared.factors)), factors(first) {}

    __device__ __forceinline__ void advance() {
        stages.advance();
        factors = opaque_shared(factors == first + T::kStages + T::kSlices - 1 ? first : factors + 1);
    }

    Ring<T> stages;
    typename T::Factors *const first, *factors;
};

// Where in its tile of C a thread's word 0 is; word 4j + 2h + c is h * 8 rows and 8j + c columns further (wgmma.h).
template <class Format>
__device__ __forceinline__ int2 split_place() {
    return make_int2((threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4) % Format::kRows, threadIdx.x % 4 * 2);
}

// Requests the products of kRequests times 32 bytes of each part of A and B, from byte `from` of their rows on. The
// parts are `of_a` and `of_b` bytes apart. The sum of the products replaces `to`.
template <class Format, int kRequests, int kWords>
__device__ __forceinline__ void request_batch(AsyncProducts& products, SharedRows a, int of_a, SharedRows b, int of_b,
                                              int from, float (&to)[kWords]) {
    products.begin();
#pragma unroll
    for (int i = 0; i < Format::kProducts * kRequests; ++i) {
        const int product = i / kRequests, at = from + i % kRequests * 32;
        products.request<Format::kOperands>(to, a.at(Format::left(product) * of_a + at),
                                            b.at(Format::right(product) * of_b + at), i > 0);
    }
    products.commit();
}

// Whether all of a warp's factors but the first of each line are 1: those of kCols columns, and of 16 rows. The warp
// looks at them together; `rows` and `cols` are where those of the tile begin.
template <class Format>
__device__ __forceinline__ bool has_one_factor(const float* rows, int of_rows, const float* cols, int of_cols) {
    const int lane = threadIdx.x % 32;
    bool is_one = true;
#pragma unroll
    for (int f = 1; f < Format::kFactors; ++f) {
        is_one = is_one && rows[f * of_rows + lane % 16] == 1.0f;
#pragma unroll
        for (int i = 0; i < Format::kCols; i += 32) is_one = is_one && cols[f * of_cols + i + lane] == 1.0f;
    }
    return Format::kFactors == 1 || __all_sync(0xffffffff, is_one);
}

// visit(word, of_row, of_col) with the first kFactors of each word's row and column, which are one `of_rows` or
// `of_cols` floats behind the other, beginning with those of word 0.
template <class Format, int kFactors, int kWords, class Visit>
__device__ __forceinline__ void for_each_scaled_by(const float* rows, int of_rows, const float* cols, int of_cols,
                                                   Visit visit) {
    float of_row[2][kFactors], of_col[kFactors];
#pragma unroll
    for (int f = 0; f < 2 * kFactors; ++f) of_row[f % 2][f / 2] = rows[f / 2 * of_rows + f % 2 * 8];
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
        const int word = i / 4 * 4 + i % 2 * 2 + i / 2 % 2;  // the two rows of a column together
#pragma unroll
        for (int f = 0; f < kFactors && i % 2 == 0; ++f) of_col[f] = cols[f * of_cols + i / 4 * 8 + word % 2];
        visit(word, of_row[i % 2], of_col);
    }
}

// The same by all factors of a tile; `place` is that of word 0. Two factors of a line double the work, and few need
// them.
template <class Format, int kWords, class Visit>
__device__ __forceinline__ void for_each_scaled(const float* rows, int of_rows, const float* cols, int of_cols,
                                                int2 place, Visit visit) {
    const int first_row = place.x & ~15;
    if (has_one_factor<Format>(rows + first_row, of_rows, cols, of_cols)) {
        for_each_scaled_by<Format, 1, kWords>(rows + place.x, of_rows, cols + place.y, of_cols, visit);
    } else {
        for_each_scaled_by<Format, Format::kFactors, kWords>(rows + place.x, of_rows, cols + place.y, of_cols, visit);
    }
}

// sum += part, each word scaled back.
template <class Format, int kWords>
__device__ __forceinline__ void add_scaled(const float* rows, int of_rows, const float* cols, int of_cols, int2 place,
                                           const float (&part)[kWords], float (&sum)[kWords]) {
    const auto add = [&](int word, const auto& of_row, const auto& of_col) {
        sum[word] = Format::add(sum[word], part[word], of_row, of_col);
    };
    for_each_scaled<Format, kWords>(rows, of_rows, cols, of_cols, place, add);
}

// The same, compensated (Kahan): what FP32's rounding takes off a sum is in `lost`, and added to the next part.
template <class Format, int kWords>
__device__ __forceinline__ void add_compensated(const float* rows, int of_rows, const float* cols, int of_cols,
                                                int2 place, const float (&part)[kWords], float (&sum)[kWords],
                                                float (&lost)[kWords]) {
    float most = 0.0f;
    const auto add = [&](int word, const auto& of_row, const auto& of_col) {
        const float added = Format::add(lost[word], part[word], of_row, of_col), total = sum[word] + added;
        lost[word] = added - (total - sum[word]);
        sum[word] = total;
        most = fmaxf(most, fabsf(total));
    };
    for_each_scaled<Format, kWords>(rows, of_rows, cols, of_cols, place, add);
    if (most > 0x1.fffffep127f) {  // Inf - Inf is NaN, which the next part would add: all is forgotten
#pragma unroll
        for (float& each : lost) each = 0.0f;
    }
}

// Adds the sums of two slices, of which each gets half of the columns, at the end of the block's only tile: in the
// memory of its stages.
template <class Format>
__device__ __forceinline__ void add_slices(typename SplitTiles<Format>::Shared& shared,
                                           const float (&sum)[Format::kCols / 2], float (&total)[Format::kCols / 4]) {
    constexpr int kHalf = Format::kCols / 4;
    struct Given {
        float words[kHalf][128];
    };
    auto* const given = reinterpret_cast<Given*>(shared.stages);
    const int slice = threadIdx.x / 128, thread = threadIdx.x % 128;
    SplitTiles<Format>::meet(shared, 0);  // all have read the stages
#pragma unroll
    for (int i = 0; i < kHalf; ++i) given[slice].words[i][thread] = slice == 0 ? sum[kHalf + i] : sum[i];
    SplitTiles<Format>::meet(shared, 1);
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
        total[i] = (slice == 0 ? sum[i] : sum[kHalf + i]) + given[1 - slice].words[i][thread];
    }
}

}  // namespace ladder
