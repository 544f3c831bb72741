// Small products of numbers that are split: by the kernel that multiplies, on their way to shared memory.
//
// Against packing (83, 85): no kernel before this one, no workspace, and no word of memory that says what was lost. All
// warps of a block copy numbers as they are, whatever their strides, to places in shared memory that a thread has for
// itself, split them in registers, and store the parts where wgmma reads them; while the tensor cores multiply 64 n,
// the next 64 are split. (Loads into registers would have to be there wherever the compiler moves them, and at the
// fence before the tensor cores read.) Each block splits what it needs for itself, some 10 instructions a number, so
// this is for products whose launches take longer than that.
//   - Small products have few tiles, so N is cut among the blocks of a cluster. Their sums, and those of warpgroups
//     that have different n, meet in shared memory, where each block adds a share of the rows, in the order of n.
//   - A block sees its numbers, so it chooses by itself: two parts of FP16 until there are 64 n whose numbers these
//     would lose, three of BF16 from these on, and FP32 for 64 n that hold NaN or Inf. The others need not know.
#pragma once

#include <type_traits>

#include "../common/gemm/as_they_are.h"
#include "../common/gemm/inside_launch.h"
#include "../common/gemm/split_chunk.h"
#include "../common/gemm/split_share.h"

namespace rung_83 {

using ladder::kChunkLines, ladder::kPackedDepth, ladder::Lines;

constexpr int kWarps = 8;  // two warpgroups

// A tile of C, and the formats that are tried, one after the other; they may be the same. And how many steps a thread
// has in flight before it splits them.
template <class NarrowFormat, class WideFormat, int kStepsAhead = 2>
struct InsideTile {
    using Narrow = NarrowFormat;
    using Wide = WideFormat;
    static constexpr int kRows = Wide::kRows, kCols = Wide::kCols, kLines = kRows + kCols, kWords = kCols / 2;
    static constexpr int kThreads = kWarps * 32;
    static constexpr int kAhead = kStepsAhead;
    static constexpr int kSlices = 128 / kRows;                    // warpgroups that share rows, and have different n
    static constexpr int kChunks = kLines / kChunkLines / kWarps;  // of a warp
    static constexpr int kBlocks = 1;                              // per SM
    struct alignas(1024) Stage {                                   // of A's lines, and behind them B's
        char part[Wide::kParts][kLines][128];
        float factors[Wide::kFactors][kLines];
    };
    struct Shared {
        union {
            Stage stages[2];
            float sums[kSlices][kRows][kCols + 8];  // no bank conflicts where half a warp stores pairs
        };
        float coming[kAhead][kChunks][8][kThreads][4];  // the numbers of the next steps, for each thread its own
    };
    // Of a thread: its slice, and where in the tile its word 0 is.
    static __device__ __forceinline__ int slice() { return __shfl_sync(0xffffffff, threadIdx.x / 32, 0) * 16 / kRows; }
    static __device__ __forceinline__ int2 place() {
        const unsigned thread = ladder::opaque(threadIdx.x);
        return make_int2((thread / 32 * 16 + thread % 32 / 4) % kRows, thread % 4 * 2);
    }
    static_assert(kLines % (kChunkLines * kWarps) == 0 && kRows % kChunkLines == 0, "a chunk is of one operand");
    static_assert(kBlocks * (sizeof(Shared) + 1024) <= 228 << 10, "shared memory per SM");
};

// What a warp splits: chunks of the tile's lines, of A or of B.
template <class T>
struct Chunks {
    const ladder::SplitJob& job;
    const int2 corner;
    const int last;  // before which step to end
    typename T::Shared& shared;
    ladder::AsyncCopies copies;

    static __device__ __forceinline__ int line(int i) {
        return i * kWarps * kChunkLines + ladder::opaque(threadIdx.x) / 32 * kChunkLines;
    }
    static __device__ __forceinline__ bool is_a(int i) {
        return T::kRows % (kChunkLines * kWarps) == 0 ? i * kChunkLines * kWarps < T::kRows : line(i) < T::kRows;
    }
    __device__ __forceinline__ const Lines& lines(int i) const { return is_a(i) ? job.operands.a : job.operands.b; }

    __device__ __forceinline__ float* coming(int i, int step) {
        return shared.coming[unsigned(step) % T::kAhead][i][0][ladder::opaque(threadIdx.x)];
    }

    // Requests what the thread splits of a step, if there is such a step.
    __device__ __forceinline__ void request(int step) {
#pragma unroll
        for (int i = 0; i < T::kChunks && step < last; ++i) {
            const int first = is_a(i) ? corner.x + line(i) : corner.y + line(i) - T::kRows;
            ladder::Chunk::request<T::kThreads * 4>(copies, coming(i, step), lines(i), first, step * kPackedDepth,
                                                    job.operands.N);
        }
        copies.commit();
    }

    // Stores the parts of chunk i of a step that has come; whether something is lost.
    template <class Format>
    __device__ __forceinline__ bool split(int i, int step, typename T::Stage& stage) {
        ladder::Chunk chunk;
        chunk.read<T::kThreads * 4>(coming(i, step));
        return lines(i).of_n == 1 ? chunk.template split_to<Format, true>(stage, line(i))
                                  : chunk.template split_to<Format, false>(stage, line(i));
    }
};

// Adds the products of the steps from `step` on, up to `last`, and returns the first whose numbers the format would
// lose; `last` if there is none. A step of a warpgroup is kSums sums of the tensor cores, one after the other.
template <class T, class Format, int kSums>
__device__ __forceinline__ int multiply_steps(typename T::Shared& shared, const ladder::SplitJob& job, int2 corner,
                                              int step, int last, float (&sum)[T::kWords]) {
    if (step >= last) return last;
    constexpr int kRequests = 4 / T::kSlices / kSums;  // of 32 bytes, for a sum and product
    const int warpgroup = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
    const int first_row = warpgroup * 64 % T::kRows, of_slice = T::slice() * (128 / T::kSlices);
    Chunks<T> own{job, corner, last, shared, {}};
#pragma unroll
    for (int ahead = 0; ahead < T::kAhead; ++ahead) own.request(step + ahead);
    ladder::AsyncProducts products;
    float part[T::kWords], lost[T::kWords] = {};
    // Each time round a step is multiplied, and the next one split. The first time there is nothing to multiply yet,
    // and what comes of it is not added: a condition around the products would have the compiler wait for each of them.
    for (int multiplied = step - 1;; ++multiplied) {
        auto& stage = shared.stages[multiplied & 1];
        auto& next = shared.stages[~multiplied & 1];
        const auto a = ladder::SharedRows(stage.part[0][first_row]).at(of_slice).uniform();
        const auto b = ladder::SharedRows(stage.part[0][T::kRows]).at(of_slice).uniform();
        bool is_lossy = false;
#pragma unroll
        for (int s = 0; s < kSums; ++s) {
            constexpr int kPart = sizeof(stage.part[0]);
            ladder::request_batch<Format, kRequests>(products, a, kPart, b, kPart, s * kRequests * 32, part);
            if (s == 0 && multiplied + 1 < last) {
                own.copies.template wait<T::kAhead - 1>();
#pragma unroll
                for (int i = 0; i < T::kChunks; ++i) {
                    is_lossy = own.template split<Format>(i, multiplied + 1, next) || is_lossy;
                }
                ladder::show_rows_to_products(), own.request(multiplied + 1 + T::kAhead);
            }
            products.wait<0>(part);
            if (multiplied >= step) {
                const float *const of_a = stage.factors[0], *const of_b = of_a + T::kRows;
                if constexpr (Format::kIsCompensatedInside) {
                    ladder::add_compensated<Format>(of_a, T::kLines, of_b, T::kLines, T::place(), part, sum, lost);
                } else {
                    ladder::add_scaled<Format>(of_a, T::kLines, of_b, T::kLines, T::place(), part, sum);
                }
            }
        }
        if (multiplied + 1 == last || __syncthreads_or(is_lossy)) {
            own.copies.template wait<0>();
            return multiplied + 1;
        }
    }
}

// Grid: clusters of `size` blocks, a power of 2, for each tile of C.
template <class T>
__global__ void __launch_bounds__(T::kThreads, T::kBlocks) split_inside(ladder::SplitJob job, int size) {
    if (!ladder::kHasWgmma) return;
    extern __shared__ ladder::SharedKilobyte memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    ladder::Cluster cluster(memory->bytes, size);
    const auto meet = [&] { size > 1 ? cluster.sync() : __syncthreads(); };
    const int tiles_m = ladder::ceil_div(job.rows(), T::kRows), tile = cluster.number();
    const int2 corner = make_int2(tile % tiles_m * T::kRows, tile / tiles_m * T::kCols);
    const int N = job.operands.N, steps = ladder::ceil_div(N, kPackedDepth);
    const int first = steps * cluster.rank() / size, last = steps * (cluster.rank() + 1) / size;

    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    float sum[T::kWords] = {};
    const auto multiply_in = [&](auto format, int from) {
        using Format = decltype(format);
        if constexpr (Format::kShortSumsUpTo > 0) {
            if (N <= Format::kShortSumsUpTo) return multiply_steps<T, Format, 2>(shared, job, corner, from, last, sum);
        }
        return multiply_steps<T, Format, 1>(shared, job, corner, from, last, sum);
    };
    int step = multiply_in(typename T::Narrow(), first);
    const bool is_wide = step < last || std::is_same_v<typename T::Narrow, typename T::Wide>;
    for (;;) {
        step = multiply_in(typename T::Wide(), step);
        if (step == last) break;
        constexpr int kDepth = kPackedDepth / T::kSlices;
        const int n = step++ * kPackedDepth + T::slice() * kDepth;
        const int2 place = T::place();
        ladder::add_as_they_are(job, corner.x + place.x, corner.y + place.y, n, min(n + kDepth, N), sum);
    }

    __syncthreads();  // nobody reads the stages any more
    const int2 place = T::place();
#pragma unroll
    for (int i = 0; i < T::kWords; i += 2) {
        float* const to = &shared.sums[T::slice()][place.x + i / 2 % 2 * 8][place.y + i / 4 * 8];
        *reinterpret_cast<float2*>(to) = make_float2(sum[i], sum[i + 1]);
    }
    meet();
    ladder::store_share<T>(job, corner, shared, cluster, size, T::Wide::kIsCompensatedInside && is_wide);
    meet();  // nobody reads this block's sums any more
}

}  // namespace rung_83
