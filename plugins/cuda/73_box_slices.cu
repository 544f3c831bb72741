// 69's smallest tile, 64 x 32, copied by TMA: the multiplying warps copy nothing and do not wait for each other.
//
// Against 69: there 6 copies, their addresses and comparisons and a barrier stand among the 512 FFMA of a warp's step,
// 58 instructions besides the reads of shared memory; here 24. A dedicated warp requests boxes of 32 n of A and of B,
// as far ahead as shared memory has room: at N = 512 all of them at once. Four warps share a box; each has 8 n of it,
// and waits for that box alone. What lies outside the matrices comes as zeros.
//
// A is swizzled, so that eight rows, which a warp reads at once, are in different banks; B lies as it comes. All sums
// have one order: the same bits every run. TMA copies from multiples of 16 bytes; where rows begin elsewhere, it is 69.
//
// Measured on an H100 80GB HBM3, a chain of two products in CUDA graphs: 16.3 us at 512 and 13.4 at 384, by 90 without
// this 17.2 and 14.3. Only the start is shorter: past N = 512, or with a second wave of tiles, 90 takes 69's kernel.
// Limit: the loop, at 0.70 of the FFMA peak by the difference of the two sizes; notes/69_slices.md has what was tried.
// Source: CUTLASS (sliced-K, TMA).
// build: least=90 as=90a
#include "../common/gemm/box_operands.h"
#include "69_slices.cu"

namespace rung_73 {

constexpr int kM = 64, kK = 32, kN = ladder::kBoxCols;          // of a tile of C, and of a box along N
constexpr int kWarps = 8, kConsumers = 32 * kWarps;             // each warp has all of the tile
constexpr int kThreads = kConsumers + 32;                       // and a warp that copies
constexpr int kDepth = 8;                                       // n of a box that a warp multiplies
constexpr int kGroup = kN / kDepth, kGroups = kWarps / kGroup;  // warps that share a box
constexpr int kBoundThreads = 416;  // 152 registers: with more, nvcc's code has twice as many register bank conflicts
constexpr int kStages = 16;

struct Stage {
    float a[kM][kN];
    float b[kN][kK];
};
using Operands = ladder::BoxOperands<Stage>;
constexpr int kRows = Operands::kRows, kCols = Operands::kCols;  // of C a thread

struct Shared {
    union {
        Stage stages[kStages];
        float sums[kWarps][kWarps][kCols / 4][32][4];  // to each warp from each: one of a thread's rows
    };
    ladder::Mbarrier full[kStages], empty[kStages];
};
static_assert(kStages % kGroups == 0 && (kStages & (kStages - 1)) == 0, "what is modulo kStages is a few bits");
static_assert(sizeof(Stage) % 1024 == 0, "where boxes may begin");
static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");

struct Job {
    float* C;
    int64_t ldc;
    int M, K, tiles_k;
    unsigned boxes;  // along N
    float alpha, beta;
    bool vector_c;
};

// What the producer thread does: fills the stages, as fast as they are emptied, for the tile at that row and column.
__device__ __forceinline__ void produce(Shared& shared, const ladder::BoxSource& A, const ladder::BoxSource& B, int row,
                                        int col, unsigned boxes) {
#pragma unroll 1
    for (unsigned box = 0; box < boxes; ++box) {
        const unsigned stage = box % kStages;
        if (box >= kStages) shared.empty[stage].wait((box / kStages - 1) % 2);
        shared.full[stage].arrive_expecting(sizeof(Stage));
        B.copy(shared.stages[stage].b, box * kN, col, shared.full[stage]);
        A.copy(shared.stages[stage].a, row, box * kN, shared.full[stage]);
    }
}

// What the consumer warps do: sum = their n of A * B.
__device__ __forceinline__ void consume(Shared& shared, Operands& operands, unsigned boxes,
                                        float (&sum)[kRows][kCols]) {
    const unsigned first = threadIdx.x / (32 * kGroup);
    if (first >= boxes) return;
    alignas(16) float a[4][kRows], b[2][kCols];
    shared.full[first].wait(0);
#pragma unroll
    for (int i = 0; i < kRows; ++i) operands.read_a(a, i, 0);
    operands.read_b(b[0], 0);
#pragma unroll 1
    for (unsigned box = first; box < boxes; box += kGroups) {
#pragma unroll
        for (int n = 0; n < kDepth; ++n) {
            const int next = (n + 1) % kDepth;
            if (next == 0) {
                if (boxes > kStages) {
                    __syncwarp();  // all lanes have read the stage
                    if (threadIdx.x % 32 == 0) shared.empty[box % kStages].arrive();
                }
                if (const unsigned box_next = box + kGroups; box_next < boxes) {
                    const unsigned stage = box_next % kStages;
                    operands.step(stage < kGroups ? kGroups - kStages : kGroups);
                    shared.full[stage].wait(box_next / kStages % 2);
                }
            }
            operands.read_b(b[next % 2], next);
#pragma unroll
            for (int i = 0; i < kRows; ++i) {
#pragma unroll
                for (int t = 0; t < kCols; ++t) {
                    const int j = (i % 2 ? kCols - 1 - t : t) ^ 7;  // of eight orders, by register bank conflicts
                    sum[i][j] += a[n % 4][i] * b[n % 2][j];
                }
                if (next % 4 == 0) operands.read_a(a, i, next);
            }
        }
    }
}

static __global__ void __launch_bounds__(kBoundThreads, 1)
    box_slices(const __grid_constant__ ladder::BoxSource A, const __grid_constant__ ladder::BoxSource B, Job job) {
    if (!ladder::kHasMbarrier) return;
    extern __shared__ ladder::SharedKilobyte memory[];
    auto& shared = *reinterpret_cast<Shared*>(memory);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int tile_row = blockIdx.x / job.tiles_k * kM, tile_col = blockIdx.x % job.tiles_k * kK;
    if (threadIdx.x == kConsumers) {
        A.prefetch(), B.prefetch();
        for (int i = 0; i < kStages; ++i) shared.full[i].init(1), shared.empty[i].init(kGroup);
        ladder::show_barriers_to_own_copies();
    }
    ladder::let_next_kernel_start();
    __syncthreads();
    ladder::wait_for_kernel_before();

    Operands operands(shared.stages[warp / kGroup % kGroups], warp % kGroup * kDepth);
    alignas(16) float sum[kRows][kCols] = {};
    if (threadIdx.x == kConsumers) produce(shared, A, B, tile_row, tile_col, job.boxes);
    if (warp < kWarps) consume(shared, operands, job.boxes, sum);
        // Times alpha here: the sums are where FFMA read them best, their products in fours.
#pragma unroll
    for (int i = 0; i < kRows * kCols; ++i) sum[i / kCols][i % kCols] *= job.alpha;
    __syncthreads();  // nobody reads the stages any more
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kCols && warp < kWarps; j += 4) {
            ladder::copy4(shared.sums[i][warp][j / 4][lane], &sum[i][j]);
        }
    }
    __syncthreads();
    const int row = tile_row + warp * Operands::kLanesM + operands.row;
    if (warp == kWarps || row >= job.M) return;
    alignas(16) float total[kCols] = {};
#pragma unroll
    for (int from = 0; from < kWarps; ++from) {
        for (int j = 0; j < kCols; j += 4) ladder::add4(&total[j], shared.sums[warp][from][j / 4][lane]);
    }
    ladder::Epilogue{1.0f, job.beta}.store_groups<Operands::kStrideK>(
        job.C + row * job.ldc + tile_col + operands.col, total, operands.col, job.K - tile_col, job.vector_c);
}

// Whether all tiles run in one wave with all of N in flight. Else the loop decides, not the start, and 69's is taken.
inline bool is_at_once(int M, int N, int K, const ladder::DeviceFigures& device) {
    return device.capability >= 90 && N <= kStages * kN &&
           int64_t{ladder::ceil_div(M, kM)} * ladder::ceil_div(K, kK) <= device.sms;
}

// False, and nothing is done, if the operands' boxes cannot be copied.
inline bool launch(const ladder::Gemm& gemm) {
    ladder::BoxSource a, b;
    if (ladder::current_device().capability < 90 ||
        !a.describe(gemm.A, gemm.lda, gemm.M, gemm.N, kM, ladder::BoxForm::swizzled) ||
        !b.describe(gemm.B, gemm.ldb, gemm.N, gemm.K, kN, ladder::BoxForm::plain)) {
        return false;
    }
    const int tiles_k = ladder::ceil_div(gemm.K, kK);
    const Job job{gemm.C,     gemm.ldc,  gemm.M,         gemm.K, tiles_k, unsigned(ladder::ceil_div(gemm.N, kN)),
                  gemm.alpha, gemm.beta, gemm.vector_c()};
    ladder::allow_shared(box_slices, sizeof(Shared));
    ladder::launch_early(box_slices, dim3(ladder::ceil_div(gemm.M, kM) * tiles_k), kThreads, sizeof(Shared),
                         gemm.stream, a, b, job);
    return true;
}

inline void multiply(const ladder::Gemm& gemm) {
    if (!launch(gemm)) rung_69::multiply(gemm);
}

}  // namespace rung_73

SOLVE_EXPORT_GEMM(rung_73::multiply, .summary = "69's smallest tile by TMA: who multiplies copies nothing",
                  .source = "CUTLASS (sliced-K, TMA)", .minimum_compute_capability = 90)
