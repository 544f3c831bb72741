// An operand as the tensor cores of Hopper read it (wgmma.h): packed into tiles of some lines by 64 n, and each number
// split into several of a narrower format. A line is a row of A, or a column of B: n runs along both. A tile is what a
// bulk copy brings: for each part its lines of 128 bytes, swizzled, and then the factors that the lines are to be
// multiplied by. Where the operand ends, the last tiles are filled up with zeros.
#pragma once

#include "../export/gemm.h"
#include "../ptx/early_launch.h"
#include "../ptx/max_or_nan.h"
#include "../ptx/opaque.h"
#include "../ptx/wgmma.h"

namespace ladder {

// An operand in memory: line i's number n is start()[i * of_line + n * of_n], and one of the two strides is 1.
struct Lines {
    const float* data;
    const float* const* slot;  // where the device finds the matrix; null: at `data`
    int64_t of_line, of_n;
    int count;
    bool vector = false;  // where its numbers lie side by side, four can be read at once, from each fourth on

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

// The bits of the largest magnitude of 64 numbers, of which eight lanes have eight each, the first of them a lane whose
// number is a multiple of 8: those of an infinity, or more, if one of them is infinite or NaN. And the sum of what
// these lanes have.
__device__ __forceinline__ unsigned most_of_64(const float (&value)[8]) {
    float most = fabsf(value[0]);
#pragma unroll
    for (int q = 1; q < 8; ++q) most = max_or_nan(most, fabsf(value[q]));
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

constexpr int kPackSide = 64, kPackThreads = 256;  // a block packs a square of an operand
constexpr int kPackBlocks = kHasWgmma ? 8 : 1;     // per SM, where there are any

// A level says what the splitting of a product's operands has found (see pack), and is 0 at first. The levels of
// kLevels products are cleared by a kernel, not by a memset, which would neither start before the kernel ahead of it
// has ended nor let the one behind it start early.
constexpr int kLevels = 64;

static __global__ void clear_levels(unsigned* levels) {
    let_next_kernel_start();
    wait_for_kernel_before();
    levels[threadIdx.x] = 0;
}

// Packs both operands, as long as *level is `at`: if it is another one at the end, what is packed is not used. Raises
// *level to what the splitting of some line comes to: Format::split(value, parts, factors) splits eight numbers of a
// line's 64, whose other ones the neighbouring seven lanes have, and returns whether something of these eight may be
// lost. If any lane's may be, Format::judge(value) is 0 if nothing of the 64 is, 1 if a wider format may do better, and
// 2 if only FP32 itself will do.
template <class Format>
__global__ void __launch_bounds__(kPackThreads, kPackBlocks)
    pack(Lines a, Lines b, int N, int blocks_of_a, char* packed_a, char* packed_b, unsigned* level, unsigned at) {
    if (!kHasWgmma) return;
    __shared__ float square[kPackSide][kPackSide + 1];  // one more, so that a column is in different banks
    let_next_kernel_start();
    wait_for_kernel_before();
    // To look takes a load's latency, so of few blocks those of level 0 do not wait for it before they read numbers.
    // The threads of a block may see different levels, since other blocks raise it: then all return.
    constexpr unsigned kFew = 2 * 132 * kPackBlocks;
    const unsigned seen = __ldcg(level);
    const bool waits = at > 0 || gridDim.x > kFew;
    const bool is_a = blockIdx.x < unsigned(blocks_of_a);
    const Lines own = is_a ? a : b;
    const int steps = ceil_div(N, kPackedDepth), block = blockIdx.x - (is_a ? 0 : blocks_of_a);
    const int n = block % steps * kPackSide, line = block / steps * kPackSide;
    const float* const from_memory = own.start();
    const bool along_n = own.of_n == 1;  // neighbouring lanes read neighbouring words
    const int x = threadIdx.x % kPackSide, y = threadIdx.x / kPackSide;
    constexpr int kStep = kPackThreads / kPackSide;
    float word[kPackSide / kStep] = {};  // all of a thread are in flight at once
    if (!waits || seen == at) {
#pragma unroll
        for (int i = 0; i < kPackSide; i += kStep) {
            const int of_line = along_n ? y + i : x, of_n = along_n ? x : y + i;
            const bool inside = line + of_line < own.count && n + of_n < N;
            const int64_t place = int64_t{line + of_line} * own.of_line + int64_t{n + of_n} * own.of_n;
            word[i / kStep] = inside ? from_memory[place] : 0.0f;
        }
    }
#pragma unroll
    for (int i = 0; i < kPackSide; i += kStep) square[along_n ? y + i : x][along_n ? x : y + i] = word[i / kStep];
    if (__syncthreads_or(seen != at)) return;

    const int lines = is_a ? Format::kRows : Format::kCols;
    const int bytes = is_a ? packed_bytes<Format>(Format::kRows) : packed_bytes<Format>(Format::kCols);
    char* const tile = (is_a ? packed_a : packed_b) + (int64_t{line / lines} * steps + block % steps) * bytes;
    const int piece = threadIdx.x % 8;
    int worst = 0;
#pragma unroll
    for (int pass = 0; pass < kPackSide; pass += kPackThreads / 8) {
        const int of_square = pass + threadIdx.x / 8, of_tile = line % lines + of_square;
        float value[8];
        const auto read = [&](int from) {
#pragma unroll
            for (int q = 0; q < 8; ++q) value[q] = square[of_square][from * 8 + q];
        };
        read(piece);
        uint4 parts[Format::kParts];
        float factors[Format::kFactors];
        const bool is_doubtful = Format::split(value, parts, factors);
#pragma unroll
        for (int part = 0; part < Format::kParts; ++part) {
            const int place = part * part_bytes(lines) + of_tile * 128 + place_of_piece(of_tile, piece) * 16;
            *reinterpret_cast<uint4*>(tile + place) = parts[part];
        }
        if (piece == 0) {
            float* const to = reinterpret_cast<float*>(tile + Format::kParts * part_bytes(lines)) + of_tile;
#pragma unroll
            for (int i = 0; i < Format::kFactors; ++i) to[i * lines] = factors[i];
        }
        if (__any_sync(0xffffffff, is_doubtful)) {
            read(opaque(piece));  // once more, for want of registers to keep them in
            worst = max(worst, Format::judge(value));
        }
    }
    const int any = __syncthreads_or(worst > 0), severe = __syncthreads_or(worst > 1);
    if (threadIdx.x == 0 && any) atomicMax(level, severe ? 2u : 1u);
}

// Both operands, and where they are packed: without a level there is no memory for it, and nothing is packed.
struct SplitOperands {
    Lines a, b;
    int N;
    char *packed_a, *packed_b;
    unsigned* level;
    cudaStream_t stream;

    // In a format: B lies behind A.
    template <class Format>
    __host__ __device__ SplitOperands as() const {
        SplitOperands result = *this;
        result.packed_b = packed_a + packed_size<Format>(a.count, Format::kRows, N);
        return result;
    }
};

template <class Format>
void enqueue_pack(const SplitOperands& given, unsigned at) {
    static_assert(Format::kRows % kPackSide == 0 && Format::kCols % kPackSide == 0, "a square is of one tile");
    if (given.level == nullptr) return;
    const SplitOperands operands = given.as<Format>();
    const auto blocks = [&](int count, int lines) {
        return ceil_div(count, lines) * (lines / kPackSide) * ceil_div(operands.N, kPackedDepth);
    };
    const int of_a = blocks(operands.a.count, Format::kRows), of_b = blocks(operands.b.count, Format::kCols);
    launch_early(pack<Format>, dim3(of_a + of_b), kPackThreads, 0, operands.stream, operands.a, operands.b, operands.N,
                 of_a, operands.packed_a, operands.packed_b, operands.level, at);
}

}  // namespace ladder
