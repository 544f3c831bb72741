// Small products of numbers that are split: by the kernel that multiplies, on their way to shared memory.
//
// Against packing (83, 85): no kernel before this one, no workspace, and no word of memory that says what was lost. All
// warps of a block read numbers as they are, whatever their strides, split them in registers, and store the parts where
// wgmma reads them; while the tensor cores multiply 64 n, the next 64 are split. Each block splits what it needs for
// itself, some 10 instructions a number, so this is for products whose launches take longer than that.
//   - Small products have few tiles, so N is cut among the blocks of a cluster. Their sums, and those of warpgroups
//     that have different n, meet in shared memory, where each block adds a share of the rows, in the order of n.
//   - A block sees its numbers, so it chooses by itself: two parts of FP16 until there are 64 n whose numbers these
//     would lose, three of BF16 from these on, and FP32 for 64 n that hold NaN or Inf. The others need not know.
#pragma once

#include "../common/gemm/cost_model.h"
#include "../common/gemm/split_launch.h"
#include "../common/ptx/cluster.h"
#include "../common/ptx/opaque.h"

namespace rung_83 {

using ladder::kPackedDepth, ladder::Lines;

constexpr int kWarps = 8;   // two warpgroups
constexpr int kChunk = 16;  // lines that a warp splits at a time

// A tile of C, and the formats that are tried, one after the other; they may be the same.
template <class NarrowFormat, class WideFormat>
struct InsideTile {
    using Narrow = NarrowFormat;
    using Wide = WideFormat;
    static constexpr int kRows = Wide::kRows, kCols = Wide::kCols, kLines = kRows + kCols, kWords = kCols / 2;
    static constexpr int kSlices = 128 / kRows;               // warpgroups that share rows, and have different n
    static constexpr int kChunks = kLines / kChunk / kWarps;  // of a warp
    static constexpr int kBlocks = 1;                         // per SM
    struct alignas(1024) Stage {                              // of A's lines, and behind them B's
        char part[Wide::kParts][kLines][128];
        float factors[Wide::kFactors][kLines];
    };
    union Shared {
        Stage stages[2];
        float sums[kSlices][kRows][kCols + 8];  // a half warp that stores pairs meets all banks once
    };
    // Of a thread: its slice, and where in the tile its word 0 is.
    static __device__ __forceinline__ int slice() { return __shfl_sync(0xffffffff, threadIdx.x / 32, 0) * 16 / kRows; }
    static __device__ __forceinline__ int2 place() {
        const unsigned thread = ladder::opaque(threadIdx.x);
        return make_int2((thread / 32 * 16 + thread % 32 / 4) % kRows, thread % 4 * 2);
    }
    static_assert(kLines % (kChunk * kWarps) == 0 && kRows % kChunk == 0, "a chunk is of one operand");
    static_assert(kBlocks * (sizeof(Shared) + 1024) <= 228 << 10, "shared memory per SM");
};

// A lane's numbers of a chunk, 16 lines by 64 n. With p = lane % 8 and q = lane / 8 it has the 8 n from 4p and 32 + 4p
// on, which are piece p of a row of shared memory, of four lines, which depend on how these lie in memory.
struct Chunk {
    float four[8][4];

    // Number i % 8 of line i / 8.
    template <bool kAlongN>
    __device__ __forceinline__ float at(int i) const {
        return kAlongN ? four[i / 4][i % 4] : four[i % 8][i / 8];
    }
    template <bool kAlongN>
    static __device__ __forceinline__ int line(int lane, int i) {
        return kAlongN ? lane / 8 + 4 * i : lane / 8 * 4 + i;
    }

    template <bool kAlongN, bool kVector>
    __device__ __forceinline__ void load(const Lines& lines, int first_line, int first_n, int N) {
        const int lane = ladder::opaque(threadIdx.x) % 32, line = first_line + Chunk::line<kAlongN>(lane, 0),
                  n = first_n + lane % 8 * 4;
        const int64_t stride = kAlongN ? 4 * lines.of_line : lines.of_n;
        const float* const start = lines.start() + line * lines.of_line + n * lines.of_n;
#ifndef SOLVE_EMULATOR
        __builtin_assume(__isGlobal(start));
#endif
#pragma unroll
        for (int f = 0; f < 8; ++f) {
            const int more_lines = kAlongN ? f / 2 * 4 : 0, more_n = kAlongN ? f % 2 * 32 : f % 4 + f / 4 * 32;
            const float* const from = start + (kAlongN ? f / 2 * stride + f % 2 * 32 : more_n * stride);
            const int lines_left = lines.count - line - more_lines, n_left = N - n - more_n;
            const int inside = lines_left <= 0 || n_left <= 0 ? 0 : kAlongN ? n_left : lines_left;
            if constexpr (kVector) {
                const float4 value = inside > 0 ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
                four[f][0] = value.x, four[f][1] = value.y, four[f][2] = value.z, four[f][3] = value.w;
            } else {
#pragma unroll
                for (int i = 0; i < 4; ++i) four[f][i] = i < inside ? from[i] : 0.0f;
            }
        }
    }

    __device__ __forceinline__ void load(const Lines& lines, int line, int n, int N) {
        if (lines.of_n == 1) {
            lines.vector ? load<true, true>(lines, line, n, N) : load<true, false>(lines, line, n, N);
        } else {
            lines.vector ? load<false, true>(lines, line, n, N) : load<false, false>(lines, line, n, N);
        }
    }

    // Stores the parts and factors to lines of a stage; whether a line loses something.
    template <class Format, bool kAlongN, class Stage>
    __device__ __forceinline__ bool split_to(Stage& stage, int first_line) const {
        const int lane = ladder::opaque(threadIdx.x) % 32, piece = lane % 8;
        bool is_doubtful = false;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float value[8], factors[Format::kFactors];
            uint4 parts[Format::kParts];
#pragma unroll
            for (int j = 0; j < 8; ++j) value[j] = at<kAlongN>(i * 8 + j);
            is_doubtful = Format::split(value, parts, factors) || is_doubtful;
            const int line = first_line + Chunk::line<kAlongN>(lane, i),
                      place = ladder::place_of_piece(line, piece) * 16;
#pragma unroll
            for (int p = 0; p < Format::kParts; ++p) *reinterpret_cast<uint4*>(&stage.part[p][line][place]) = parts[p];
#pragma unroll
            for (int f = 0; f < Format::kFactors && piece == 0; ++f) stage.factors[f][line] = factors[f];
        }
        if (!__any_sync(0xffffffff, is_doubtful)) return false;
        int worst = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float value[8];
#pragma unroll
            for (int j = 0; j < 8; ++j) value[j] = at<kAlongN>(i * 8 + j);
            worst = max(worst, Format::judge(value));
        }
        return worst > 0;
    }
};

// What a warp splits: chunks of the tile's lines, of A or of B.
template <class T>
struct Chunks {
    const ladder::SplitJob& job;
    const int2 corner;
    Chunk chunks[T::kChunks];

    static __device__ __forceinline__ int line(int i) {
        return i * kWarps * kChunk + ladder::opaque(threadIdx.x) / 32 * kChunk;
    }
    static __device__ __forceinline__ bool is_a(int i) {
        return T::kRows % (kChunk * kWarps) == 0 ? i * kChunk * kWarps < T::kRows : line(i) < T::kRows;
    }
    __device__ __forceinline__ const Lines& lines(int i) const { return is_a(i) ? job.operands.a : job.operands.b; }

    __device__ __forceinline__ void load(int i, int step) {
        const int first = is_a(i) ? corner.x + line(i) : corner.y + line(i) - T::kRows;
        chunks[i].load(lines(i), first, step * kPackedDepth, job.operands.N);
    }

    // Stores the parts of chunk i; whether something is lost.
    template <class Format>
    __device__ __forceinline__ bool split(int i, typename T::Stage& stage) {
        return lines(i).of_n == 1 ? chunks[i].template split_to<Format, true>(stage, line(i))
                                  : chunks[i].template split_to<Format, false>(stage, line(i));
    }
};

// Adds the products of the steps from `step` on, up to `last`, and returns the first whose numbers the format would
// lose; `last` if there is none.
template <class T, class Format>
__device__ __forceinline__ int multiply_steps(typename T::Shared& shared, const ladder::SplitJob& job, int2 corner,
                                              int step, int last, float (&sum)[T::kWords]) {
    if (step >= last) return last;
    // Of a slice: sums of the tensor core, and requests of 32 bytes for each of them and product.
    constexpr int kSums = Format::kSums > T::kSlices ? Format::kSums / T::kSlices : 1;
    constexpr int kRequests = 4 / T::kSlices / kSums, kChunksOfSum = T::kChunks / kSums;
    static_assert(kChunksOfSum * kSums == T::kChunks);
    const int warpgroup = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
    const int first_row = warpgroup * 64 % T::kRows, of_slice = T::slice() * (128 / T::kSlices);
    Chunks<T> own{job, corner};
#pragma unroll
    for (int i = 0; i < T::kChunks; ++i) own.load(i, step);
    ladder::AsyncProducts products;
    float part[T::kWords];
    // Each time round a step is multiplied, and the next one split. The first time there is nothing to multiply yet,
    // and what comes of it is not added: a condition around the products would have the compiler wait for each of them.
    for (int multiplied = step - 1;; ++multiplied) {
        auto& stage = shared.stages[multiplied & 1];
        auto& next = shared.stages[~multiplied & 1];
        const ladder::SharedRows a(stage.part[0][first_row]), b(stage.part[0][T::kRows]);
        bool is_lossy = false;
#pragma unroll
        for (int piece = 0; piece < kSums; ++piece) {
            products.begin();
#pragma unroll
            for (int i = 0; i < Format::kProducts * kRequests; ++i) {
                constexpr int kPart = sizeof(stage.part[0]);
                const int product = i / kRequests, from = (piece * kRequests + i % kRequests) * 32;
                products.request<Format::kOperands>(part, a.at(Format::left(product) * kPart + of_slice + from),
                                                    b.at(Format::right(product) * kPart + of_slice + from), i > 0);
            }
            products.commit();
            if (multiplied + 1 < last) {
#pragma unroll
                for (int i = piece * kChunksOfSum; i < (piece + 1) * kChunksOfSum; ++i) {
                    is_lossy = own.template split<Format>(i, next) || is_lossy;
                    if (i + 1 == T::kChunks) ladder::show_rows_to_products();  // it would wait for loads
                    if (multiplied + 2 < last) own.load(i, multiplied + 2);
                }
            }
            products.wait<0>(part);
            if (multiplied >= step) {
                const int2 place = T::place();
                ladder::add_scaled<Format>(&stage.factors[0][place.x], T::kLines, &stage.factors[0][T::kRows + place.y],
                                           T::kLines, part, sum);
            }
        }
        if (multiplied + 1 == last || __syncthreads_or(is_lossy)) return multiplied + 1;
    }
}

// Grid: clusters of `size` blocks, a power of 2, for each tile of C.
template <class T>
__global__ void __launch_bounds__(kWarps * 32, T::kBlocks) split_inside(ladder::SplitJob job, int size) {
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
        return multiply_steps<T, Format>(shared, job, corner, from, last, sum);
    };
    for (int step = multiply_in(typename T::Narrow(), first);;) {
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
    float* const C = job.slot_of_c ? *job.slot_of_c : job.C;
    const int share = T::kRows / size;
    for (int i = threadIdx.x; i < share * T::kCols / 4; i += kWarps * 32) {
        const int row = share * cluster.rank() + i / (T::kCols / 4), col = i % (T::kCols / 4) * 4;
        alignas(16) float total[4] = {};
        for (int rank = 0; rank < size; ++rank) {
#pragma unroll
            for (int s = 0; s < T::kSlices; ++s) {
                const float* const own = &shared.sums[s][row][col];
                ladder::add4(total, size > 1 ? cluster.of_rank(own, rank) : own);
            }
        }
        if (corner.x + row >= job.rows()) break;
        float* const c = C + (corner.x + row) * job.ldc + corner.y;
        job.epilogue.store_groups<4>(c + col, total, col, job.cols() - corner.y, job.vector_c);
    }
    meet();  // nobody reads this block's sums any more
}

// The kernel with a tile, and among how many blocks each is cut, up to `most`; the cycles that this is expected to
// take.
struct InsideWay {
    double cycles;
    void (*kernel)(ladder::SplitJob, int size);
    int tiles, size, shared;
};

template <class T>
InsideWay way_inside(const solve_gemm_t& call, double step_cycles, int most = 4) {
    constexpr double kStart = 7000, kMeet = 1000;
    const int64_t tiles = int64_t{ladder::ceil_div(call.M, T::kRows)} * ladder::ceil_div(call.K, T::kCols);
    const int steps = ladder::ceil_div(call.N, kPackedDepth);
    InsideWay best{ladder::kNever, split_inside<T>, static_cast<int>(tiles), 1, sizeof(typename T::Shared)};
    for (int size = 1; size <= std::min(steps, most); size *= 2) {
        if (size > 1 && tiles * size > ladder::sm_count()) break;
        const double cycles =
            kStart + (size > 1 ? kMeet : 0) +
            ladder::waves_of(tiles * size, ladder::sm_count()) * ladder::ceil_div(steps, size) * step_cycles;
        if (cycles < best.cycles) best.cycles = cycles, best.size = size;
    }
    return best;
}

// Up to which size this is expected to be faster than packing: as long as the large tiles are one for each SM.
inline bool is_for_inside(const solve_gemm_t& call) {
    return call.N >= 32 && ladder::ceil_div(call.M, 128) * ladder::ceil_div(call.K, 128) <= ladder::sm_count();
}

// The way that is expected to be the fastest.
template <template <int, int> class Narrow, template <int, int> class Wide>
InsideWay best_inside(const solve_gemm_t& call) {
    const InsideWay small = way_inside<InsideTile<Narrow<64, 64>, Wide<64, 64>>>(call, 1300);
    const InsideWay large = way_inside<InsideTile<Narrow<128, 128>, Wide<128, 128>>>(call, 2800);
    return small.cycles < large.cycles ? small : large;
}

// All products of a call, by one of these ways; its code.
inline int enqueue_inside(const solve_gemm_t& given, const InsideWay& way) {
    if (!ladder::supports_wgmma()) return SOLVE_UNSUPPORTED;
    const solve_gemm_t call = ladder::with_bias_added(given);
    const ladder::Workspace none(0, nullptr);
    ladder::allow_shared(way.kernel, way.shared);
    ladder::enqueue_split(call, none, [&](const ladder::SplitJob& job) {
        const auto stream = job.operands.stream;
        if (way.size > 1) {
            ladder::launch_clusters(way.kernel, way.tiles, way.size, kWarps * 32, way.shared, stream, job, way.size);
        } else {
            ladder::launch_early(way.kernel, dim3(way.tiles), kWarps * 32, way.shared, stream, job, 1);
        }
    });
    return SOLVE_OK;
}

}  // namespace rung_83
