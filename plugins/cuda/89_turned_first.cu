// A transposed operand is first transposed back in memory ("turned"); then 86 multiplies what is not transposed.
//
// Against 88: there it is transposed on its way into shared memory, a word at a time where its rows run along n. With a
// transposed B both operands come that way, and the copies, 24 of a thread for 8 n, not 12, take more than the FFMA
// leave: 4096 x 4096 x 4096 at 46.6 TFLOP/s, and with B not transposed at 57.2 (H200). A separate kernel copies the
// operand's transpose to workspace, with rows that begin at multiples of 16 bytes whatever the operand's own do, and 86
// multiplies the copy. Each operand is read and written once: 4096 x 4096 is 134 MB, 40 us of 2400.
//
// Limit: as for 86; and the copy, whose part of the time falls as 1 / M for B and 1 / K for A: at 1024 it is a tenth,
// more than it saves. Batches, and products for which there is no workspace, are done as in 88.
// Source: Goto (operands are packed first).
// build: least=90 as=90a
#include "../common/ptx/l2_policy.h"
#include "88_transposed.cu"

namespace rung_89 {

constexpr int kSide = 64;  // of the square that a block turns
constexpr int kThreads = 256;

// to[col][row] = from[row][col], where rows of `to` begin at multiples of 16 bytes, and are filled up to the next one;
// kVector: those of `from` do, too. `from` is read once, and so evict-first in L2, whose 50 MB are as much as the
// product's operands and C take at 2048: with both an NT product takes 316.2 us for 316.6.
// `early`: the next kernel may start while this one runs. That must be 86, with its one block per SM: blocks of others
// would pile up on the few SMs that this one leaves free, and one wave of 67 become two (643 x 495 x 1576, B
// transposed: 2.4 and 32 us one by one, 71 together).
template <bool kVector>
static __global__ void __launch_bounds__(kThreads)
    turn(const float* from, int64_t ld_from, float* to, int64_t ld_to, int rows, int cols, bool early) {
    __shared__ float square[kSide][kSide + 1];  // one more, so that two of a warp's words at most are in a bank
    if (early) ladder::let_next_kernel_start();
    const ladder::L2Policy once(1.0f);
    const int squares = ladder::ceil_div(cols, kSide);  // in a row of them
    const int row = int(blockIdx.x / squares) * kSide, col = int(blockIdx.x % squares) * kSide;
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
    for (int y = 0; y < kSide; y += 16) {
        const auto word = [&](int i) { return square[x + i][own + y]; };
        if (col + own + y >= cols || row + x >= rows) continue;
        *reinterpret_cast<float4*>(to + (col + own + y) * ld_to + row + x) =
            make_float4(word(0), word(1), word(2), word(3));
    }
}

// A matrix of rows x cols, as the product wants it, and its copy.
struct Turned {
    int rows, cols;

    int64_t pitch() const { return int64_t{ladder::ceil_div(cols, 4)} * 4; }
    size_t bytes() const { return (size_t(rows) * pitch() * sizeof(float) + 255) / 256 * 256; }

    void enqueue(const float* from, int64_t ld, float* to, cudaStream_t stream, bool early) const {
        const int64_t squares = int64_t{ladder::ceil_div(rows, kSide)} * ladder::ceil_div(cols, kSide);
        const bool vector = ladder::vector_operand(from, nullptr, ld, 0, rows);
        ladder::launch_early(vector ? turn<true> : turn<false>, dim3(static_cast<unsigned>(squares)), kThreads, 0,
                             stream, from, ld, to, pitch(), cols, rows, early);
    }
};

inline Turned turned_a(const solve_gemm_t& call) {
    return {call.M, call.N};
}
inline Turned turned_b(const solve_gemm_t& call) {
    return {call.N, call.K};
}

// The one product of a call, without arrays and bias, once its transposed operands have been turned; these are null.
inline ladder::Gemm turned(const solve_gemm_t& call) {
    ladder::Gemm gemm = ladder::plain_gemm(call);
    if (call.transpose_a == SOLVE_T) gemm.A = nullptr, gemm.lda = turned_a(call).pitch();
    if (call.transpose_b == SOLVE_T) gemm.B = nullptr, gemm.ldb = turned_b(call).pitch();
    return gemm;
}

// Turns them, and calls multiply(gemm), which is by_86 or not. False, and nothing is done, if there is no memory for
// that.
template <class Multiply>
bool turn_and_multiply(const solve_gemm_t& call, int sms, bool by_86, Multiply multiply) {
    const size_t bytes_a = call.transpose_a == SOLVE_T ? turned_a(call).bytes() : 0;
    const size_t bytes_b = call.transpose_b == SOLVE_T ? turned_b(call).bytes() : 0;
    // What 86 needs at most: two pieces of its larger tile per SM.
    const size_t rest = 2 * size_t(sms) * rung_86::Large::kM * rung_86::Large::kK * sizeof(float);
    ladder::Gemm gemm = turned(call);
    const ladder::Workspace workspace(bytes_a + bytes_b + rest, gemm.stream, gemm.workspace);
    if (!workspace.data()) return false;
    float* const of_a = workspace.data();
    float* const of_b = of_a + bytes_a / sizeof(float);
    if (bytes_a > 0) turned_a(call).enqueue(call.A, call.lda, of_a, gemm.stream, by_86 && !bytes_b), gemm.A = of_a;
    if (bytes_b > 0) turned_b(call).enqueue(call.B, call.ldb, of_b, gemm.stream, by_86), gemm.B = of_b;
    gemm.workspace = {of_b + bytes_b / sizeof(float), rest};
    multiply(gemm);
    return true;
}

// Whether there is one product to be turned.
inline bool can_turn(const solve_gemm_t& call) {
    const bool transposed = call.transpose_a == SOLVE_T || call.transpose_b == SOLVE_T;
    return transposed && call.batch == 1 && !ladder::has_arrays(call);
}

inline int multiply_all(const solve_gemm_t& given) {
    if (!can_turn(given)) return rung_88::multiply_all(given);
    const solve_gemm_t call = ladder::with_bias_added(given);
    if (turn_and_multiply(call, ladder::sm_count(), true, rung_86::multiply)) return SOLVE_OK;
    return rung_88::multiply_all(call);
}

}  // namespace rung_89

SOLVE_EXPORT_GEMM_AND_ALL(rung_86::multiply, rung_89::multiply_all,
                          .summary = "86, to which operands that lie transposed come turned, from workspace",
                          .source = "Goto (operands are packed first)", .minimum_compute_capability = 90)
