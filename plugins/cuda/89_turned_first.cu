// A transposed operand is first transposed back in memory ("turned"); then 86 multiplies what is not transposed.
//
// Against 88: there it is transposed on its way into shared memory, a word at a time where its rows run along n. With a
// transposed B both operands come that way, and the copies, 24 of a thread for 8 n, not 12, take more than the FFMA
// leave: 4096 x 4096 x 4096 at 46.6 TFLOP/s, and with B not transposed at 57.2 (H200). A separate kernel copies the
// operand's transpose to workspace, with rows that begin at multiples of 16 bytes whatever the operand's own do, and 86
// multiplies the copy. Each operand is read and written once: 4096 x 4096 is 134 MB, 40 us of 2400. (An A that does not
// lie transposed can be turned, too: NT is TT then, which 88 copies as fast. 90 may do that if A is the smaller one.
// And an A of TT whose rows do not begin at multiples of 16 bytes can be copied as it lies, with padding, so that 88
// reads it 16 bytes at a time.)
//
// Limit: as for 86; and the copy, whose part of the time falls as 1 / M for B and 1 / K for A: at 1024 it is a tenth,
// more than it saves. Batches, and products for which there is no workspace, are done as in 88.
// Source: Goto (operands are packed first).
// build: least=90 as=90a
#include "../common/ptx/l2_policy.h"
#include "88_transposed.cu"

namespace rung_89 {

constexpr int kSide = 64;  // of the square that a block transposes
constexpr int kThreads = 512, kSmall = 256;

// to[col][row] = from[row][col], where rows of `to` begin at multiples of 16 bytes, and are filled up to the next one;
// kVector: those of `from` do, too. Squares are taken down the columns, so that `to` is written along its rows: 8192 x
// 8192 takes 4 % less time than the other way. `from` is read once, and so is evict_first in L2 if it fits there: 50 MB
// are as much as the product's operands and C take at 2048. If it does not fit, and its rows share lines of memory,
// that takes 13 % longer, since a line is gone before its other part is read.
// `early`: the next kernel may start while this one runs. That must be 86 or 88, with one block per SM: blocks of
// others would pile up on the few SMs that this one leaves free, and one wave of 67 become two (643 x 495 x 1576, B
// transposed: 2.4 and 32 us one by one, 71 together).
template <bool kVector, int kThreads>
static __global__ void __launch_bounds__(kThreads) turn(const float* from, int64_t ld_from, float* to, int64_t ld_to,
                                                        int rows, int cols, float evict_first, bool early) {
    __shared__ float square[kSide][kSide + 1];  // one more, so that two of a warp's words at most are in a bank
    if (early) ladder::let_next_kernel_start();
    const ladder::L2Policy once(evict_first);
    const int squares = ladder::ceil_div(rows, kSide);  // in a column of them
    const int row = int(blockIdx.x % squares) * kSide, col = int(blockIdx.x / squares) * kSide;
    constexpr int kWidth = kVector ? 4 : 1, kLanes = kSide / kWidth, kStep = kThreads / kLanes;
    {
        const int x = threadIdx.x % kLanes * kWidth, own = threadIdx.x / kLanes;
        ladder::wait_for_kernel_before(ladder::bits(from + (row + own) * ld_from + col + x));
        alignas(16) float word[kSide / kStep][kWidth];  // all of a thread are in flight at once
#pragma unroll
        for (int y = 0; y < kSide; y += kStep) {
            const bool inside = row + own + y < rows && col + x < cols;
            const float* const source = from + (row + own + y) * ld_from + col + x;
            kVector ? once.load4(word[y / kStep], source, inside) : once.load(word[y / kStep], source, inside);
        }
#pragma unroll
        for (int y = 0; y < kSide; y += kStep) {
#pragma unroll
            for (int i = 0; i < kWidth; ++i) square[own + y][x + i] = word[y / kStep][i];
        }
    }
    __syncthreads();
    const int x = threadIdx.x % 16 * 4, own = threadIdx.x / 16;
#pragma unroll
    for (int y = 0; y < kSide; y += kThreads / 16) {
        const auto word = [&](int i) { return square[x + i][own + y]; };
        if (col + own + y >= cols || row + x >= rows) continue;
        *reinterpret_cast<float4*>(to + (col + own + y) * ld_to + row + x) =
            make_float4(word(0), word(1), word(2), word(3));
    }
}

// to[row][col] = from[row][col], where rows of `to` begin at multiples of 16 bytes, and are filled up to the next one.
static __global__ void __launch_bounds__(kThreads) pad(const float* from, int64_t ld_from, float* to, int64_t ld_to,
                                                       int rows, int cols, float evict_first, bool early) {
    if (early) ladder::let_next_kernel_start();
    const ladder::L2Policy once(evict_first);
    const int squares = ladder::ceil_div(cols, kSide);  // in a row of them
    const int x = int(blockIdx.x % squares) * kSide + threadIdx.x % kSide;
    const int y = int(blockIdx.x / squares) * kSide + threadIdx.x / kSide;
    constexpr int kStep = kThreads / kSide;
    const float* const source = from + y * ld_from + x;
    ladder::wait_for_kernel_before(ladder::bits(source));
    float word[kSide / kStep][1];
#pragma unroll
    for (int i = 0; i < kSide / kStep; ++i)
        once.load(word[i], source + i * kStep * ld_from, y + i * kStep < rows && x < cols);
#pragma unroll
    for (int i = 0; i < kSide / kStep; ++i) {
        if (y + i * kStep < rows && x < ld_to) to[(y + i * kStep) * ld_to + x] = word[i][0];
    }
}

// Whether squares are turned by blocks of 256 threads, eight of which are resident per SM: where four of 512 would be
// more than one wave, and these are not. Turning B of 1536 x 1536 x 1536 and the product take 154.6 us so, and 155.3 by
// large blocks, but of 1280 x 1280 x 1280 94.2 and 93.5.
inline bool has_small_blocks(int64_t squares, int sms) {
    return squares > 4 * sms && squares <= 8 * sms;
}

// What is made of an operand before the product: nothing, or in workspace its transpose, or a copy as it lies.
enum class Copy { none, turned, padded };
struct Copies {
    Copy a = Copy::none, b = Copy::none;

    bool any() const { return a != Copy::none || b != Copy::none; }
};

// A matrix of rows x cols in memory, and its copy.
struct Copied {
    int rows, cols;
    Copy how;

    int rows_of_copy() const { return how == Copy::turned ? cols : rows; }
    int64_t pitch() const { return int64_t{ladder::ceil_div(how == Copy::turned ? rows : cols, 4)} * 4; }
    size_t bytes() const {
        if (how == Copy::none) return 0;
        return (size_t(rows_of_copy()) * pitch() * sizeof(float) + 255) / 256 * 256;
    }

    void enqueue(const float* from, int64_t ld, float* to, cudaStream_t stream, bool early) const {
        const int64_t squares = int64_t{ladder::ceil_div(rows, kSide)} * ladder::ceil_div(cols, kSide);
        const bool vector = ladder::vector_operand(from, nullptr, ld, 0, cols);
        const float evict_first = 2 * bytes() <= size_t(ladder::current_device().l2) ? 1 : 0;
        const bool small = how == Copy::turned && has_small_blocks(squares, ladder::sm_count());
        const auto kernel = how == Copy::padded ? pad
                            : small             ? (vector ? turn<true, kSmall> : turn<false, kSmall>)
                                                : (vector ? turn<true, kThreads> : turn<false, kThreads>);
        ladder::launch_early(kernel, dim3(static_cast<unsigned>(squares)), small ? kSmall : kThreads, 0, stream, from,
                             ld, to, pitch(), rows, cols, evict_first, early);
    }
};

inline Copied copied_a(const solve_gemm_t& call, Copy how) {
    return call.transpose_a == SOLVE_T ? Copied{call.N, call.M, how} : Copied{call.M, call.N, how};
}
inline Copied copied_b(const solve_gemm_t& call, Copy how) {
    return call.transpose_b == SOLVE_T ? Copied{call.K, call.N, how} : Copied{call.N, call.K, how};
}

// The one product of a call, without arrays, once these operands have been copied; they are null.
inline solve_gemm_t with_copies(solve_gemm_t call, Copies copies) {
    const int64_t pitch_a = copied_a(call, copies.a).pitch(), pitch_b = copied_b(call, copies.b).pitch();
    const auto other = [](uint32_t transpose) { return transpose == SOLVE_T ? SOLVE_N : SOLVE_T; };
    if (copies.a == Copy::turned) call.transpose_a = other(call.transpose_a);
    if (copies.b == Copy::turned) call.transpose_b = other(call.transpose_b);
    if (copies.a != Copy::none) {
        call.A = nullptr, call.lda = pitch_a, call.stride_a = 0, call.reserved |= ladder::kPaddedA;
    }
    if (copies.b != Copy::none) {
        call.B = nullptr, call.ldb = pitch_b, call.stride_b = 0, call.reserved |= ladder::kPaddedB;
    }
    return call;
}

// Copies them, and calls multiply(call), which begins by 86 or 88 if it is `by_walk`. False, and nothing is done, if
// there is no memory for that.
template <class Multiply>
bool copy_and_multiply(const solve_gemm_t& given, Copies copies, int sms, bool by_walk, Multiply multiply) {
    const Copied a = copied_a(given, copies.a), b = copied_b(given, copies.b);
    // What 86 and 88 need at most: two pieces of their larger tile per SM.
    const size_t rest = 2 * size_t(sms) * rung_86::Large::kM * rung_86::Large::kK * sizeof(float);
    const auto stream = static_cast<cudaStream_t>(given.stream);
    const ladder::Workspace workspace(a.bytes() + b.bytes() + rest, stream, {given.workspace, given.workspace_bytes});
    if (!workspace.data()) return false;
    float* const of_a = workspace.data();
    float* const of_b = of_a + a.bytes() / sizeof(float);
    solve_gemm_t call = with_copies(given, copies);
    const bool two = copies.b != Copy::none;
    if (copies.a != Copy::none) a.enqueue(given.A, given.lda, of_a, stream, by_walk && !two), call.A = of_a;
    if (two) b.enqueue(given.B, given.ldb, of_b, stream, by_walk), call.B = of_b;
    call.workspace = of_b + b.bytes() / sizeof(float), call.workspace_bytes = rest;
    multiply(call);
    return true;
}

// Whether there is one product, of operands that are not in arrays.
inline bool can_copy(const solve_gemm_t& call) {
    return call.batch == 1 && !ladder::has_arrays(call);
}
inline Copies turn_transposed(const solve_gemm_t& call) {
    const auto copy = [](uint32_t transpose) { return transpose == SOLVE_T ? Copy::turned : Copy::none; };
    return {copy(call.transpose_a), copy(call.transpose_b)};
}

inline int multiply_all(const solve_gemm_t& given) {
    const Copies copies = turn_transposed(given);
    if (!can_copy(given) || !copies.any()) return rung_88::multiply_all(given);
    const solve_gemm_t call = ladder::with_bias_added(given);
    const auto multiply = [](const solve_gemm_t& turned) { rung_86::multiply(ladder::plain_gemm(turned)); };
    if (copy_and_multiply(call, copies, ladder::sm_count(), true, multiply)) return SOLVE_OK;
    return rung_88::multiply_all(call);
}

}  // namespace rung_89

SOLVE_EXPORT_GEMM_AND_ALL(rung_86::multiply, rung_89::multiply_all,
                          .summary = "86, to which operands that lie transposed come turned, from workspace",
                          .source = "Goto (operands are packed first)", .minimum_compute_capability = 90)
