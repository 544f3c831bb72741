// The kernel that packs the operands of a product into tiles (packed_tiles.h), in squares of 64 lines by 64 n, and what
// it finds out about their numbers.
#pragma once

#include <type_traits>

#include "../ptx/opaque.h"
#include "edge_lines.h"

namespace ladder {

// Blocks per SM that a packing kernel is compiled for, where there is anything to pack: many, with 32 registers a
// thread, or few, with 64, where kManyBlocks per SM would be one wave at most: 1024 takes 20.4 us by few, 22.0 by many.
// With edges, 36: in graphs 2049 takes 115.0 us with 36, 115.3 with 32 and 115.7 with 40.
// (Template parameters of a kernel must not depend on kHasWgmma: the host would launch an instance that is not there.)
constexpr int kManyBlocks = 8;
constexpr __host__ __device__ int pack_blocks(bool is_few, bool has_edges) {
    return kHasWgmma ? is_few ? 4 : has_edges ? 7 : kManyBlocks : 1;
}

// What the packing of a product's operands has found, and how far it is: all 0 at first.
struct alignas(32) PackState {
    unsigned level;           // what the splitting comes to, see pack
    unsigned wide_a, wide_b;  // squares of either operand that are packed in a wider format (85_pack.h)
    unsigned taken, packed;   // squares that blocks have taken since, and packed
};

// Those of kStates products are cleared by a kernel, not by a memset, which would neither start before the kernel ahead
// of it has ended nor let the one behind it start early.
constexpr int kStates = 8, kClearingThreads = kStates * sizeof(PackState) / sizeof(unsigned);

static __global__ void clear_states(PackState* states) {
    let_next_kernel_start();
    wait_for_kernel_before();
    reinterpret_cast<unsigned*>(states)[threadIdx.x] = 0;
}

// Which square of an operand a block packs: of these 64 lines and n, in tiles of `lines` lines. If the `count` of the
// operand's lines is given, the squares of a last step with one n come last.
struct SquarePlace {
    int line, step, steps, lines;

    __device__ __forceinline__ SquarePlace(int block, int N, int lines, int count = 0)
        : steps(ceil_div(N, kPackedDepth)), lines(lines) {
        const bool has_late = count > 0 && comes_late(N);
        const int others = has_late ? steps - 1 : steps, late = block - line_blocks(count, lines) * others;
        step = has_late && late >= 0 ? others : block % others;
        line = (has_late && late >= 0 ? late : block / others) * kPackSide;
    }
    static __device__ __forceinline__ bool comes_late(int N) { return N % kPackedDepth == 1 && N > 1; }
    // In 64 lines each, with those that fill up the last tile.
    static __device__ __forceinline__ int line_blocks(int count, int lines) {
        return ceil_div(count, lines) * (lines / kPackSide);
    }
    template <class Format>
    __device__ __forceinline__ char* tile(char* packed) const {
        return packed + (int64_t{line / lines} * steps + step) * packed_bytes<Format>(lines);
    }
};

// Reads a square, or zeros unless `reads`; to be followed by a barrier. Neighbouring lanes read neighbouring words,
// each thread some of a column of what lies in memory, by one pointer that steps.
__device__ __forceinline__ void read_square(PackSquare& square, const Lines& own, const SquarePlace& place, int N,
                                            bool reads) {
    constexpr int kStep = kPackThreads / kPackSide;
    const bool along_n = own.of_n == 1;
    const int x = threadIdx.x % kPackSide, y = threadIdx.x / kPackSide, n = place.step * kPackSide;
    const int wide = along_n ? N - n : own.count - place.line, high = along_n ? own.count - place.line : N - n;
    const int64_t stride = along_n ? own.of_line : own.of_n;
    const float* from = own.start() + (along_n ? n : place.line) + x + ((along_n ? place.line : n) + y) * stride;
    const int left = reads && x < wide ? high - y : 0;
    float word[kPackSide / kStep];  // all of a thread are in flight at once
#pragma unroll
    for (int i = 0; i < kPackSide; i += kStep, from += kStep * stride) {
        word[i / kStep] = load_line_ahead(from, i < left);
    }
    if (along_n) {
#pragma unroll
        for (int i = 0; i < kPackSide; i += kStep) square[y + i][place_of_n(x)] = word[i / kStep];
    } else {
#pragma unroll
        for (int i = 0; i < kPackSide; i += kStep) square[x][y + place_of_n(i)] = word[i / kStep];
    }
}

// Splits a square and stores it in its tile. Returns what that comes to for this thread's lines: Format::split(value,
// parts, factors) splits eight numbers of a line's 64, whose other ones the neighbouring seven lanes have, and returns
// whether something of these eight may be lost. If any lane's may be, Format::judge(value) is 0 if nothing of the 64
// is, 1 if a wider format may do better, and 2 if only FP32 itself will do.
template <class Format>
__device__ __forceinline__ int split_square(const PackSquare& square, const SquarePlace& place, char* tile) {
    const int lines = place.lines, piece = threadIdx.x % 8;
    int worst = 0;
#pragma unroll
    for (int pass = 0; pass < kPackSide; pass += kPackThreads / 8) {
        const int of_square = pass + threadIdx.x / 8, of_tile = place.line % lines + of_square;
        float value[8];
        const auto read = [&](int from) {
#pragma unroll
            for (int q = 0; q < 8; ++q) value[q] = square[of_square][place_of_n(from * 8) + q];
        };
        read(piece);
        uint4 parts[Format::kParts];
        float factors[Format::kFactors];
        const bool is_doubtful = Format::split(value, parts, factors);
#pragma unroll
        for (int part = 0; part < Format::kParts; ++part) {
            const int to = part * part_bytes(lines) + of_tile * 128 + place_of_piece(of_tile, piece) * 16;
            *reinterpret_cast<uint4*>(tile + to) = parts[part];
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
    return worst;
}

// To look at the level takes a load's latency, so of few blocks those that pack at level 0 do not wait for it before
// they read numbers.
__device__ __forceinline__ bool waits_for_level() {
    constexpr unsigned kFew = 2 * 132 * kManyBlocks;
    return gridDim.x > kFew;
}

// The edges of a product as the block of a square of A or B has to do with them.
struct SquareEdges {
    const EdgeLines& edges;
    const Lines &a, &b;
    const SquarePlace& place;
    bool is_a;
    int N;

    __device__ __forceinline__ int others() const { return is_a ? edges.count.y : edges.count.x; }
    __device__ __forceinline__ int first() const { return place.step * kPackSide; }

    // What a thread requests before it reads the square; where it leaves that, to be followed by a barrier; and what
    // all do then.
    __device__ __forceinline__ float request() const {
        const Lines other = is_a ? Lines(b) : Lines(a);
        return EdgeWord(other).read(other, others(), first(), N);
    }
    __device__ __forceinline__ int own() const { return is_a && place.line == 0 ? edges.count.x : 0; }  // the corner
    __device__ __forceinline__ void leave(EdgeShared& shared, float word) const {
        const EdgeWord of_other(is_a ? Lines(b) : Lines(a)), of_own(a);
        shared.others[of_other.edge][of_other.n] = word;
        if (own() > 0) shared.own[of_own.edge][place_of_n(of_own.n)] = of_own.read(a, own(), first(), N);
    }
    __device__ __forceinline__ void multiply(const EdgeShared& shared, const PackSquare& square) const {
        const int rows = a.count + edges.count.x, count = is_a ? rows : b.count;
        float* const parts = edges.parts + (is_a ? 0 : int64_t{edges.count.y} * place.steps * rows);
        multiply_edges(shared, square, others(), parts + int64_t{place.step} * count + place.line,
                       int64_t{place.steps} * count, (is_a ? a.count : b.count) - place.line, own(), a.count);
    }
};

// Packs both operands, as long as *level is `at`: if it is another one at the end, what is packed is not used. Raises
// *level to what the splitting of some line comes to. With edges it is a kernel of its own, since their code has
// registers spilled in what comes after it; kIsFew: as pack_blocks says.
template <class Format, bool kHasEdges, bool kIsFew>
__global__ void __launch_bounds__(kPackThreads, pack_blocks(kIsFew, kHasEdges))
    pack(Lines a, Lines b, int N, int blocks_of_a, char* packed_a, char* packed_b, unsigned* level, unsigned at,
         EdgeLines edges) {
    if (!kHasWgmma) return;
    __shared__ PackSquare square;
    let_next_kernel_start();
    wait_for_kernel_before();
    // The threads of a block may see different levels, since other blocks raise it: then all return.
    const unsigned seen = __ldcg(level);
    const bool is_a = blockIdx.x < unsigned(blocks_of_a);
    const Lines own = is_a ? a : b;
    const SquarePlace place(blockIdx.x - (is_a ? 0 : blocks_of_a), N, is_a ? Format::kRows : Format::kCols);
    const SquareEdges of_square{edges, a, b, place, is_a, N};
    const float word = kHasEdges ? of_square.request() : 0.0f;
    read_square(square, own, place, N, kHasEdges || (at == 0 && !waits_for_level()) || seen == at);
    __shared__ std::conditional_t<kHasEdges, EdgeShared, char> shared;
    if constexpr (kHasEdges) of_square.leave(shared, word);
    const bool is_late = __syncthreads_or(seen != at);
    if constexpr (kHasEdges) of_square.multiply(shared, square);
    if (is_late) return;
    const int worst = split_square<Format>(square, place, place.tile<Format>(is_a ? packed_a : packed_b));
    const int any = __syncthreads_or(worst > 0), severe = __syncthreads_or(worst > 1);
    if (threadIdx.x == 0 && any) atomicMax(level, severe ? 2u : 1u);
}

// Both operands, and where they are packed: without a state there is no memory for it, and nothing is packed.
struct SplitOperands {
    Lines a, b;
    int N;
    char *packed_a, *packed_b;
    PackState* state;
    cudaStream_t stream;

    // In a format: B lies behind A.
    template <class Format>
    __host__ __device__ SplitOperands as() const {
        SplitOperands result = *this;
        result.packed_b = packed_a + packed_size<Format>(a.count, Format::kRows, N);
        return result;
    }
};

// How many squares there are of either.
template <class Format>
int2 squares_of(const SplitOperands& operands) {
    static_assert(Format::kRows % kPackSide == 0 && Format::kCols % kPackSide == 0, "a square is of one tile");
    const auto squares = [&](int count, int lines) {
        return ceil_div(count, lines) * (lines / kPackSide) * ceil_div(operands.N, kPackedDepth);
    };
    return make_int2(squares(operands.a.count, Format::kRows), squares(operands.b.count, Format::kCols));
}

// pick(std::true_type()) where they are few, or pick(std::false_type()): the kernel for so many squares.
template <class Pick>
auto kernel_for(int2 squares, Pick pick) {
    const bool is_few = squares.x + squares.y <= kManyBlocks * sm_count();
    return is_few ? pick(std::true_type()) : pick(std::false_type());
}

template <class Format>
void enqueue_pack(const SplitOperands& given, unsigned at, const EdgeLines& edges = {}) {
    if (given.state == nullptr) return;
    const SplitOperands operands = given.as<Format>();
    const int2 squares = squares_of<Format>(operands);
    const auto kernel = kernel_for(squares, [&]<bool kIsFew>(std::bool_constant<kIsFew>) {
        return edges.any() ? pack<Format, true, kIsFew> : pack<Format, false, kIsFew>;
    });
    launch_early(kernel, dim3(squares.x + squares.y), kPackThreads, 0, operands.stream, operands.a, operands.b,
                 operands.N, squares.x, operands.packed_a, operands.packed_b, &operands.state->level, at, edges);
}

}  // namespace ladder
