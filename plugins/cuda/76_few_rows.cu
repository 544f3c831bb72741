// Few rows (skinny; GEMV, if one): B is streamed once, by asynchronous copies of which each thread has nine in flight.
//
// Against 68: no tiles. For one row a tile of 128 x 128 would be 127 rows of zeros, and each word of B is used once:
// 4096 x 4096 of them are 64 MB, 20 us of an H100's memory, and 33 MFLOP, 0.5 us of its FFMA. What counts is how much
// is in flight. Memory gives 14 bytes a cycle per SM after a latency of some 800 cycles: 12 KB always, and a multiple
// of that where there are queues and barriers. Here a block of 512 threads, one per SM, has 72 KB in flight.
// Each thread copies to places that nobody else reads, and requests the next copy when the oldest has arrived: no
// barrier, no bursts. As loads to registers, 12 or 16 at a time, 8 rows took 16 % longer, 3 unaligned rows 30 %.
//
// A thread sums 4 columns of up to 8 rows. 8 adjacent lanes read 128 bytes of a row of B, other lanes and warps
// other n; in the end they add their sums, by shuffles and through shared memory. A comes by way of shared memory. Of B
// as much as half of L2 can hold stays there for the next product (l2_policy.h): 4096 x 4096 again takes 18 us, not 25.
//
// 4096 columns are 128 blocks of 32, one per SM. Only with too few blocks is N cut, and a second launch of 2 us adds,
// in a fixed order: the same bits every run. More than 8 rows are right but slow: 8 at a time, and each time all of B.
//
// Limit: memory, at 90 % of its peak for some 30 MB and more; below that the start of a block, 1 us, and the launches.
// For 8 rows the loop issues for 8 us where memory takes 20.
// Source: cuBLAS (gemv).
// build: least=75
#include <bit>

#include "../common/gemm/add_pieces.h"
#include "../common/gemm/fit_block.h"
#include "../common/gemm/lane_sums.h"
#include "../common/gemm/thin_plan.h"
#include "../common/ptx/l2_policy.h"

namespace rung_76 {

constexpr int kThreads = 512;  // of a block, at most
constexpr int kCols = 4;       // columns a thread
constexpr int kStages = 10;    // copies of B that a thread has in flight, and the one that it multiplies
constexpr int kChunk = 16;     // steps for which A is in shared memory
static_assert(kStages <= kChunk, "the next chunk of A has come with the copies of B requested after it");

// Floats of shared memory: of B four for each copy, of A two chunks, as [n][row].
constexpr int shared_floats(int rows, int threads, int across) {
    return kStages * threads * kCols + 2 * kChunk * threads / across * rows;
}

// blockIdx.x counts groups of rows first, then of columns; blockIdx.y is the piece of N, `depth` long or what there is
// of it. `across` lanes, a power of 2, are adjacent along K. A block has at most kThreads * across / kRows threads.
template <int kRows, bool kVectorB>
__global__ void __launch_bounds__(kThreads, 1)
    few_rows(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int64_t piece_stride,
             int M, int N, int K, int across, int depth, float evict_first, ladder::Epilogue epilogue) {
    ladder::let_next_kernel_start();
    constexpr int kPass = kRows < 4 ? kRows : 4;  // rows whose sums are in shared memory at a time
    extern __shared__ char memory[];              // the copies; in the end the sums as [warp][row][column]
    float* const shared = reinterpret_cast<float*>(memory);

    const int row_groups = ladder::ceil_div(M, kRows), width = across * kCols;
    const int row = blockIdx.x % row_groups * kRows, col = blockIdx.x / row_groups * width;
    const int rows = M - row, cols = K - col;  // of C from the block's corner on
    const int n_begin = blockIdx.y * depth, n_count = min(depth, N - n_begin);
    C += blockIdx.y * piece_stride;

    // This thread's columns are x + j * stride: neighbours for 128-bit copies, else every `across`-th, so that a warp's
    // copies of single words are coalesced too. Of each step it has one n, the n_own-th.
    const int thread = threadIdx.x, threads = blockDim.x, warp = thread / 32, lane = thread % 32;
    const int x = kVectorB ? lane % across * kCols : lane % across, stride = kVectorB ? 1 : across;
    const int n_own = thread / across, n_step = threads / across, steps = ladder::ceil_div(n_count, n_step);
    const float* from_a = A + row * lda + n_begin;
    const float* from_b = B + (int64_t{n_begin} + n_own) * ldb + col + x;
    float* const own = shared + thread * kCols;  // of stage 0
    float* const chunks = shared + kStages * threads * kCols;
    const int stage_size = threads * kCols, chunk_n = kChunk * n_step;

    const ladder::L2Policy policy(evict_first);  // B
    ladder::AsyncCopies copies;
    const auto request_a = [&](int chunk) {
        float* const to = chunks + chunk % 2 * chunk_n * kRows;
        for (int n = thread; n < chunk_n; n += threads) {
            const int at = chunk * chunk_n + n;
#pragma unroll
            for (int m = 0; m < kRows; ++m) {
                copies.copy4(&to[n * kRows + m], from_a + m * lda + at, m < rows && at < n_count);
            }
        }
    };
    const auto request_b = [&](int stage, int step) {
        const bool inside = step * n_step + n_own < n_count;
        float* const to = own + stage * stage_size;
        if constexpr (kVectorB) {
            policy.copy16(copies, to, from_b, inside && x < cols);
        } else {
#pragma unroll
            for (int j = 0; j < kCols; ++j) {
                policy.copy4(copies, &to[j], from_b + j * stride, inside && x + j * stride < cols);
            }
        }
        from_b += n_step * ldb;
        copies.commit();
    };

    ladder::wait_for_kernel_before(ladder::bits(from_a) | ladder::bits(from_b) | unsigned(steps));
    request_a(0);
#pragma unroll 1
    for (int stage = 0; stage < kStages - 1; ++stage) request_b(stage, stage);
    float sum[kRows][kCols] = {};
    int stage = 0, free = kStages - 1;  // the stage that is multiplied, the one to be filled next
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        copies.wait<kStages - 2>();
        if (step % kChunk == 0) {
            __syncthreads();  // everybody's copies of this chunk of A are there, and nobody reads the one before
            if (step + kChunk < steps) request_a(step / kChunk + 1);
        }
        alignas(16) float b[kCols], a[kRows];
        ladder::copy4(b, own + stage * stage_size);
        const float* const from = chunks + (step / kChunk % 2 * chunk_n + step % kChunk * n_step + n_own) * kRows;
        if constexpr (kRows % 4 == 0) {
#pragma unroll
            for (int m = 0; m < kRows; m += 4) ladder::copy4(&a[m], from + m);
        } else {
#pragma unroll
            for (int m = 0; m < kRows; ++m) a[m] = from[m];
        }
        request_b(free, step + kStages - 1);
        free = stage;
        stage = stage == kStages - 1 ? 0 : stage + 1;
#pragma unroll
        for (int m = 0; m < kRows; ++m) {
#pragma unroll
            for (int j = 0; j < kCols; ++j) sum[m][j] += a[m] * b[j];
        }
    }
    copies.wait<0>();  // no copy comes later than the sums

    ladder::add_lanes(sum, across, 32);
#pragma unroll
    for (int first = 0; first < kRows; first += kPass) {
        __syncthreads();
        if (lane < across) {
#pragma unroll
            for (int m = 0; m < kPass; ++m) {
#pragma unroll
                for (int j = 0; j < kCols; ++j) shared[(warp * kPass + m) * width + x + j * stride] = sum[first + m][j];
            }
        }
        __syncthreads();
        for (int at = thread; at < kPass * width; at += threads) {
            const int m = at / width, k = at % width;
            if (first + m >= rows || k >= cols) continue;
            float total = 0.0f;
            for (int w = 0; w < threads / 32; ++w) total += shared[w * kPass * width + at];
            epilogue.store(&C[(row + first + m) * ldc + col + k], total);
        }
    }
}

// 8 adjacent lanes if there are as many columns: 128 bytes, so that blocks share no line of B.
inline ladder::ThinPlan plan_for(int M, int N, int K, int sms) {
    const int rows = ladder::thin_instance(M);
    int least = 1;
    while (least < 8 && least * kCols < K) least *= 2;
    ladder::ThinPlan best;
    for (int across = least; across <= (least < 8 ? least : 32); across *= 2) {
        const int width = across * kCols;
        const int64_t blocks = int64_t{ladder::ceil_div(K, width)} * ladder::ceil_div(M, rows);
        const auto plan = ladder::thin_plan(across, blocks, 4.0 * width + 2.0 * rows, 1, N, int64_t{M} * K, sms);
        if (plan.cycles < best.cycles) best = plan;
    }
    return best;
}

// For `rows` rows at a time, as many threads as there are n for.
inline ladder::BlockSize block_for(int rows, const ladder::ThinPlan& plan, const ladder::SharedMemory& memory) {
    const int64_t wanted = std::min(kThreads / rows, plan.depth) * int64_t{plan.beside};
    const auto shared_for = [&](int threads) { return int{sizeof(float)} * shared_floats(rows, threads, plan.beside); };
    return ladder::fit_block(static_cast<int>(std::min<int64_t>(wanted, kThreads)), shared_for, memory);
}

constexpr decltype(&few_rows<1, false>) kKernels[][2] = {{few_rows<1, false>, few_rows<1, true>},
                                                         {few_rows<2, false>, few_rows<2, true>},
                                                         {few_rows<4, false>, few_rows<4, true>},
                                                         {few_rows<8, false>, few_rows<8, true>}};

inline void multiply(const ladder::Gemm& gemm) {
    const int rows = ladder::thin_instance(gemm.M);
    ladder::ThinPlan plan = plan_for(gemm.M, gemm.N, gemm.K, ladder::sm_count());
    const ladder::Pieces pieces(gemm, plan.pieces, plan.depth);
    const ladder::Gemm part = pieces.part();
    plan.depth = pieces.depth();
    const auto kernel = kKernels[std::countr_zero(static_cast<unsigned>(rows))][part.vector_b()];
    const auto block = block_for(rows, plan, ladder::shared_memory());
    ladder::allow_shared(kernel, block.shared);
    const float evict_first = ladder::evict_first_fraction(4.0 * part.N * part.K);  // B
    // Each starts 1.2 us sooner than after the end of the kernel before: 5 % of what 64 MB take.
    ladder::launch_early(kernel, dim3(static_cast<unsigned>(plan.blocks), pieces.count()), block.threads, block.shared,
                         part.stream, part.A, part.lda, part.B, part.ldb, part.C, part.ldc, pieces.stride(), part.M,
                         part.N, part.K, plan.beside, plan.depth, evict_first, ladder::Epilogue{part.alpha, part.beta});
    pieces.add();
}

}  // namespace rung_76

SOLVE_EXPORT_GEMM(rung_76::multiply, .summary = "few rows: B is streamed once, nine copies in flight per thread",
                  .source = "cuBLAS (gemv)", .minimum_compute_capability = 75)
