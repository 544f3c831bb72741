// Small chains at FP32's accuracy in one launch on the tensor cores: numbers in two parts of TF32, three products each.
//
// Against 20_chain_clusters: the tensor cores multiply, and D = A * B goes from block to block by L2, not within a
// cluster, so that there are blocks for all SMs where M, N, K and L are 512. Against 85 twice: one start, and C comes
// while D is computed; and TF32 holds all but the smallest numbers of FP32, so nothing is scaled or tried in vain, and
// numbers of a wide range take as long as others.
//   - A pair of blocks, a cluster, makes 64 x 64 of D, and then of E. Each has half of the n, all of which it requests
//     at once, up to 256 x 128 numbers; then each sends the other the sums of 32 rows, and stores 32.
//   - Two warps request, six make the low parts of A and D (30_split.h), eight multiply (30_products.h).
//   - For E a block needs 64 rows of half of D. Each warp that has stored some leaves a mark behind (grid_marks.h), and
//     the warps that split D wait for those. So all blocks must run at a time: a cooperative launch.
//   - Tiles with numbers below 2^-100, and elements that come out infinite or NaN, are computed again in FP32.
// What does not fit is two products: above 512 of N or K, more tiles than pairs of SMs, rows that TMA cannot copy.
//
// Measured on an H100, in CUDA graphs: 12.8 us at 512, where 85 takes 15.1 twice and strict products 16.1. Limit:
// what comes one after the other; the tensor cores work a quarter of the time (plugins/notes/83_split.md).
// Source: 20, 81; CUTLASS (3xTF32); Markidis et al. (products of two parts).
// build: least=90 as=90a
#include "../common/export/chain.h"
#include "../common/export/gemm.h"
#include "../common/export/workspace.h"
#include "../common/ptx/register_share.h"
#include "30_job.h"
#include "by_54.h"
#include "enqueue_products.h"

namespace chain_30 {

constexpr int kThreads = kMultiplying + 32 * (2 + kSplittingWarps), kMostTiles = 32;  // in a row
constexpr int kMarks = 1 + 8 * kMostTiles;  // of a row of tiles: a number, and what each tile's eight warps leave

__global__ void __launch_bounds__(kThreads, 1)
    chain_tf32(const __grid_constant__ ladder::BoxSource A, const __grid_constant__ ladder::BoxSource B,
               const __grid_constant__ ladder::BoxSource C, Job job) {
    if (!ladder::kHasWgmma) return;
    extern __shared__ ladder::SharedKilobyte memory[];
    auto& shared = *reinterpret_cast<Shared*>(memory);
    ladder::Cluster cluster(memory->bytes, 2);
    const int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    constexpr int kRequesting = kMultiplying / 32;  // two warps, one for A and one for B and C; those behind split
    const int rank = blockIdx.x % 2, pair = blockIdx.x / 2, tile = pair % job.tiles, row_of_tiles = pair / job.tiles;
    const int row = row_of_tiles * kRows, col = tile * kCols, own_row = row + rank * kOwnRows;
    uint64_t *const number = job.marks + row_of_tiles * kMarks, *const marks = number + 1;
    const bool has_d = col < job.K, has_e = col < job.L;
    if (threadIdx.x == 0) {
        for (int i = 0; i < kStages; ++i) {
            shared.left_full[i].init(1), shared.low_full[i].init(2), shared.right_full[i].init(1);
            shared.empty[i].init(4);
        }
        shared.met.init(kMultiplying / 32), shared.stored.init(4), shared.number_read.init(1);
        for (int i = 0; i < 2; ++i) {
            shared.lossy[i] = 0;
            shared.all_received[i].init(1);
            if (i == 0 ? has_d : has_e) cluster.announce(shared.all_received[i], sizeof(shared.received[i]));
        }
        cluster.show_barriers();  // and to the copies; a fence of their own takes 0.1 us
    }
    if (lane == 0) {
        if (warp == kRequesting) A.prefetch();
        if (warp == kRequesting + 1) B.prefetch();
        if (warp == kRequesting + 2) C.prefetch();
    }
    __syncthreads();
    cluster.begin();
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();

    const Stages none{0, 0, 0}, of_d = has_d ? Stages::of(job.N, rank, 0) : none;
    const Stages of_e = has_e ? Stages::of(job.K, rank, of_d.count) : none;
    const auto request_right = [&](const ladder::BoxSource& from, int n, int stage) {
        auto& full = shared.right_full[stage];
        full.arrive_expecting(sizeof(shared.right[stage]));
        for (int i = 0; i < 2; ++i) from.copy(shared.right[stage][i], n, col + i * ladder::kBoxCols, full);
    };
    if (warp < kMultiplying / 32) {
        ladder::take_registers<192>();
        const int2 place = place_of_thread();
#pragma unroll 1
        for (int product = 0; product < 2; ++product) {
            const bool is_d = product == 0, has_tile = is_d ? has_d : has_e;
            float sum[kWords] = {};
            Sums total;
            if (!is_d) shared.stored.wait(0);  // `given` has been read
            if (has_tile) {
                const Stages stages{0, is_d ? of_d.count : of_e.count, is_d ? 0 : of_d.count};
                add_products(shared, stages, sum, shared.lossy[product]);
            }
            if (is_d) cluster.wait_for_begun();
            if (has_tile) add_all(shared, cluster, sum, product, !is_d && has_d, total);
            if (threadIdx.x >= 128) continue;
            if (has_tile) {
                const int at_row = ladder::opaque(own_row + place.y), at_col = col + place.x;  // not known before
                compute_again(job, is_d, at_row, at_col, total);
                is_d ? store_d(job, at_row, at_col, total) : store_e(job, at_row, at_col, total);
            }
            if (!is_d) break;
            shared.number_read.wait(0);
            __syncwarp();
            if (lane == 0) {
                shared.stored.arrive();
                ladder::leave_mark(marks + (tile * 2 + rank) * 4 + warp, shared.mark);
            }
            __syncwarp();
        }
    } else {
        ladder::give_registers<64>();
        if (warp == kRequesting) {
            if (lane == 0) {
                for (int stage = 0; stage < of_d.count; ++stage) {
                    shared.left_full[stage].arrive_expecting(sizeof(shared.left[stage].high));
                    A.copy(shared.left[stage].high, row, (of_d.first + stage) * kDepth, shared.left_full[stage]);
                }
                shared.mark = ladder::mark_after(ladder::read_mark(number));
                shared.number_read.arrive();
            }
            __syncwarp();
            cluster.wait_for_begun();
            if (tile == 0 && rank == 0) {  // all of the row have read the number when all have left marks
                for (int i = lane; i < 8 * job.tiles; i += 32) ladder::wait_for_mark(marks + i, shared.mark);
                __syncwarp();
                if (lane == 0) ladder::leave_mark(number, shared.mark);
            }
        } else if (warp == kRequesting + 1) {
            for (int stage = 0; stage < of_d.count && lane == 0; ++stage) {
                request_right(B, (of_d.first + stage) * kDepth, stage);
            }
            __syncwarp();
            cluster.wait_for_begun();
            for (int stage = 0; stage < of_e.count && lane == 0; ++stage) {
                if (stage < of_d.count) shared.empty[stage].wait(0);
                request_right(C, (of_e.first + stage) * kDepth, stage);
            }
        } else {
            const int splitting = warp - kRequesting - 2;
            split_a(shared, of_d, splitting);
            cluster.wait_for_begun();
            split_d(shared, of_e, splitting, job.D + row * job.pitch, job.pitch, marks);
        }
        __syncwarp();
    }
}

// Whether the kernel can do a call, in blocks that all run at a time.
inline bool fits(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    const int64_t rows = ladder::ceil_div(call.M, kRows), tiles = ladder::ceil_div(std::max(call.K, call.L), kCols);
    return device.capability == 90 && device.shared_of_block >= int(sizeof(Shared)) &&
           std::max(call.N, call.K) <= 2 * kStages * kDepth && tiles <= kMostTiles &&
           ladder::boxes_can_lie(call.A, call.lda) && ladder::boxes_can_lie(call.B, call.ldb) &&
           ladder::boxes_can_lie(call.C, call.ldc) &&
           rows * tiles <= ladder::clusters_at_a_time<chain_tf32>(2, kThreads, sizeof(Shared));
}

// What it is expected to take, in cycles of 1.755 GHz like the products' costs. An H100 took 6.9, 9.0, 10.6 and 12.9 us
// with 128, 256, 384 and 512 of all sizes.
inline double cycles_of(const solve_chain_t& call) {
    const auto stages = [](int terms) { return (ladder::ceil_div(terms, kDepth) + 1) / 2; };
    return 8600 + 860.0 * (stages(call.N) + stages(call.K));
}

// Its code; SOLVE_UNSUPPORTED if the driver cannot describe the operands.
inline int launch(const solve_chain_t& call) {
    const int rows = ladder::ceil_div(call.M, kRows), tiles = ladder::ceil_div(std::max(call.K, call.L), kCols);
    const int pitch = ladder::ceil_div(call.K, kCols) * kCols;
    const size_t of_marks = (rows * kMarks * sizeof(uint64_t) + 255) / 256 * 256;
    const auto stream = static_cast<cudaStream_t>(call.stream);
    const ladder::Workspace workspace(of_marks + sizeof(float) * rows * kRows * pitch, stream,
                                      {call.workspace, call.workspace_bytes});
    if (!workspace.data()) return ladder::fail("no memory for the product between"), SOLVE_DEVICE_ERROR;
    const auto form = ladder::BoxForm::swizzled;
    ladder::BoxSource a, b, c;
    if (!a.describe(call.A, call.lda, call.M, call.N, kRows, form) ||
        !b.describe(call.B, call.ldb, call.N, call.K, kDepth, form) ||
        !c.describe(call.C, call.ldc, call.K, call.L, kDepth, form)) {
        return ladder::fail("the driver describes no such operand for TMA"), SOLVE_UNSUPPORTED;
    }
    Job job{};
    job.M = call.M, job.N = call.N, job.K = call.K, job.L = call.L;
    job.A = {call.A, call.lda}, job.B = {call.B, call.ldb}, job.C = {call.C, call.ldc};
    job.E = call.E, job.lde = call.lde, job.epilogue = {call.alpha, call.beta};
    job.vector_e = ladder::aligned16(call.E, call.lde) && call.L % 4 == 0;
    job.marks = reinterpret_cast<uint64_t*>(workspace.data());
    job.D = workspace.data() + of_marks / sizeof(float), job.pitch = pitch, job.tiles = tiles;
    ladder::allow_shared(chain_tf32, sizeof(Shared));
    ladder::launch_clusters_together(chain_tf32, rows * tiles, 2, kThreads, sizeof(Shared), stream, a, b, c, job);
    return SOLVE_OK;
}

inline int multiply(const solve_chain_t& call) {
    if (fits(call, ladder::current_device())) return launch(call);
    return ladder::enqueue_products(call, rung_54::Multiplier(SOLVE_ARITHMETIC_FP32));
}

}  // namespace chain_30

SOLVE_EXPORT_CHAIN_AND_ENQUEUE(chain_30::multiply,
                               .summary = "small A*B*C in one launch on the tensor cores: three products of TF32 each",
                               .source = "20, 81; CUTLASS (3xTF32)", .arithmetic = SOLVE_ARITHMETIC_FP32_EMULATED,
                               .minimum_compute_capability = 90)
