// How 85 packs operands that are not large, without a kernel for BF16 alone, which would take 2 us at 1024 also where
// it returns at once, and 7 us at 2048.
//
// Each format has memory of its own. A block whose square FP16 cannot hold packs it in BF16 too, from shared memory,
// and so does each that begins later, in BF16 alone. So where numbers are wild (of too wide a range for FP16)
// throughout, both operands are packed in BF16 before the kernel that multiplies begins. If an operand has squares that
// are not, that kernel packs it first: blocks take squares until none is left, and wait until those that others have
// taken are packed. Nobody waits for a block that has not begun, so they need not all run at a time.
#pragma once

#include "../common/gemm/split_launch.h"
#include "../common/ptx/bulk_copy.h"
#include "../common/ptx/grid_marks.h"

namespace rung_85 {

using ladder::kPackSide, ladder::kPackThreads, ladder::EdgeLines, ladder::Lines, ladder::PackSquare, ladder::PackState,
    ladder::SplitOperands, ladder::SquarePlace;

// Square `number` of both operands' in a format, those of A first. kLateOnes: in the order of square_of_block.
template <class Format, bool kLateOnes = false>
struct Square {
    bool is_a;
    Lines own;
    SquarePlace place;
    char* tile;

    __device__ __forceinline__ Square(const SplitOperands& operands, int number, int of_a)
        : is_a(number < of_a),
          own(is_a ? operands.a : operands.b),
          place(number - (is_a ? 0 : of_a), operands.N, is_a ? Format::kRows : Format::kCols,
                kLateOnes ? own.count : 0),
          tile(place.tile<Format>(is_a ? operands.packed_a : operands.packed_b)) {}
};

// Where the wide format's tiles lie, behind the narrow one's.
template <class Narrow, class Wide>
__host__ __device__ SplitOperands wide_of(SplitOperands operands) {
    operands.packed_a += ladder::packed_size<Narrow>(operands.a.count, Narrow::kRows, operands.N) +
                         ladder::packed_size<Narrow>(operands.b.count, Narrow::kCols, operands.N);
    return operands.as<Wide>();
}

// The square that a block of pack_either packs. Those of a last step with one number a line come last of all: by itself
// that is never wild, and so late their blocks know whether others are. Else they alone would be left to the kernel
// that multiplies, and 2049 would take 230 us with wild numbers, not 208.
template <class Format>
__device__ __forceinline__ int square_of_block(const SplitOperands& operands, int block, int of_a) {
    if (!SquarePlace::comes_late(operands.N)) return block;
    const int a = SquarePlace::line_blocks(operands.a.count, Format::kRows),
              b = SquarePlace::line_blocks(operands.b.count, Format::kCols);
    const int others_of_a = of_a - a, others = gridDim.x - a - b;
    if (block < others) return block < others_of_a ? block : block + a;
    return block - others < a ? others_of_a + block - others : block;
}

template <class Narrow, class Wide, bool kHasEdges, bool kIsFew>
__global__ void __launch_bounds__(kPackThreads, ladder::pack_blocks(kIsFew, kHasEdges))
    pack_either(SplitOperands narrow, SplitOperands wide, int of_a, EdgeLines edges) {
    if (!ladder::kHasWgmma) return;
    __shared__ PackSquare square;
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    const unsigned seen = __ldcg(&narrow.state->level);
    const Square<Narrow, true> own(narrow, square_of_block<Narrow>(narrow, blockIdx.x, of_a), of_a);
    const ladder::SquareEdges of_square{edges, narrow.a, narrow.b, own.place, own.is_a, narrow.N};
    const float word = kHasEdges ? of_square.request() : 0.0f;
    ladder::read_square(square, own.own, own.place, narrow.N, true);
    __shared__ std::conditional_t<kHasEdges, ladder::EdgeShared, char> shared;
    if constexpr (kHasEdges) of_square.leave(shared, word);
    const bool is_late = __syncthreads_or(seen > 0);
    if constexpr (kHasEdges) of_square.multiply(shared, square);
    if (!is_late) {
        const int worst = ladder::split_square<Narrow>(square, own.place, own.tile);
        if (!__syncthreads_or(worst > 0)) return;
        if (threadIdx.x == 0) atomicMax(&narrow.state->level, 1u);  // at once, for those that begin later
    }
    // Computed again, for want of registers.
    const Square<Wide, true> again(wide, square_of_block<Wide>(wide, ladder::opaque(blockIdx.x), of_a), of_a);
    const int severe = __syncthreads_or(ladder::split_square<Wide>(square, again.place, again.tile) > 1);
    if (threadIdx.x > 0) return;
    if (severe) atomicMax(&narrow.state->level, 2u);
    atomicAdd(again.is_a ? &narrow.state->wide_a : &narrow.state->wide_b, 1u);
}

// As read_square, with an address computed for each word: with that one's pointer the kernel that multiplies takes
// 1.5 % longer at 2048, where it packs nothing.
__device__ __forceinline__ void read_square_in_product(PackSquare& square, const Lines& own, const SquarePlace& place,
                                                       int N) {
    const float* const from_memory = own.start();
    const int line = place.line, n = place.step * kPackSide;
    const bool along_n = own.of_n == 1;
    const int x = threadIdx.x % kPackSide, y = threadIdx.x / kPackSide;
    constexpr int kStep = kPackThreads / kPackSide;
    float word[kPackSide / kStep];
#pragma unroll
    for (int i = 0; i < kPackSide; i += kStep) {
        const int of_line = along_n ? y + i : x, of_n = along_n ? x : y + i;
        const bool inside = line + of_line < own.count && n + of_n < N;
        const int64_t at = int64_t{line + of_line} * own.of_line + int64_t{n + of_n} * own.of_n;
        word[i / kStep] = inside ? from_memory[at] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kPackSide; i += kStep) {
        square[along_n ? y + i : x][along_n ? ladder::place_of_n(x) : y + ladder::place_of_n(i)] = word[i / kStep];
    }
}

struct PackShared {
    PackSquare square;
    unsigned taken;
};

// By all threads of all blocks, so that all squares of both operands are packed; the level may be 2 afterwards.
template <class Format>
__device__ __forceinline__ void pack_remaining(PackShared& shared, const SplitOperands& operands, int2 squares) {
    PackState& state = *operands.state;
    const bool has_a = __ldcg(&state.wide_a) == unsigned(squares.x),
               has_b = __ldcg(&state.wide_b) == unsigned(squares.y);
    const int first = has_a ? squares.x : 0, count = squares.x + (has_b ? 0 : squares.y) - first;
    if (count <= 0) return;
    unsigned done = 0;
    int worst = 0;
#pragma unroll 1
    for (;; ++done) {
        if (threadIdx.x == 0) shared.taken = atomicAdd(&state.taken, 1u);
        __syncthreads();
        if (shared.taken >= unsigned(count)) break;
        const Square<Format> own(operands, first + shared.taken, squares.x);
        const bool packs = threadIdx.x < kPackThreads;
        if (packs) read_square_in_product(shared.square, own.own, own.place, operands.N);
        __syncthreads();
        if (packs) worst = max(worst, ladder::split_square<Format>(shared.square, own.place, own.tile));
    }
    if (worst > 1) atomicMax(&state.level, 2u);
    ladder::show_memory_to_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&state.packed, done);
        while (ladder::read_mark(&state.packed) < unsigned(count)) {
        }
    }
    __syncthreads();
    ladder::show_memory_to_copies();
}

// Whether a call's operands are packed so: of two of 2048 x 2048, or some lines more.
inline bool is_for_both(const solve_gemm_t& call) {
    constexpr int64_t kMost = int64_t{2} * 2056 * 2056;
    return (int64_t{call.M} + call.K) * call.N <= kMost;
}

// How many squares there are of A and of B.
template <class Narrow, class Wide>
int2 enqueue_pack_either(const SplitOperands& given, const EdgeLines& edges) {
    const int2 squares = ladder::squares_of<Narrow>(given);
    const auto kernel = ladder::kernel_for(squares, [&]<bool kIsFew>(std::bool_constant<kIsFew>) {
        return edges.any() ? pack_either<Narrow, Wide, true, kIsFew> : pack_either<Narrow, Wide, false, kIsFew>;
    });
    ladder::launch_early(kernel, dim3(squares.x + squares.y), kPackThreads, 0, given.stream, given.as<Narrow>(),
                         wide_of<Narrow, Wide>(given), squares.x, edges);
    return squares;
}

}  // namespace rung_85
