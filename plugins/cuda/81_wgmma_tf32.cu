// TF32 by Hopper's own instruction for four warps, wgmma, which reads shared memory by itself.
//
// Against 74: there every operand is loaded and rounded by the warps that multiply, and these wait for the tensor cores
// in turn: 200 TFLOP/s of 495. Here one thread copies tiles by TMA, which rounds them to TF32 on the way, and two
// warpgroups do little but ask for products.
//   - For TF32 wgmma needs both operands with n contiguous. A is; B, row-major, is not. Transposing B in memory first
//     would take 40 us of 370 at 4096. But the operand on the left may come from registers, two words of each n a lane:
//     so C's transpose is computed, with B's columns on the left, which each lane loads in the order that it needs.
//   - Which column of C is which row of the product is free: a lane has two neighbours, so that one 64-bit load fetches
//     both, half a warp has no bank conflict, and C is stored in whole sectors, straight from registers.
//   - Half a stage is multiplied while the registers of the other half are loaded.
//   - A tile of 256 x 128 takes 48 KB from L2 every 1024 cycles: for 132 SMs 12 TB/s, and L2 gave 7. So the blocks are
//     in pairs, clusters of two, side by side: each copies half of A's tile to both (multicast), and 8 TB/s are left at
//     full speed.
//   - Tiles of 64 x 128 at 1024 and of 64 x 64 at 512, where 256 x 128 would leave most SMs without one.
// Operands whose rows do not begin at multiples of 16 bytes, or that are transposed, are copied to workspace first.
//
// Limit: power from 4096 on; below, some 150 cycles of a step that the tensor cores do not work. TFLOP/s on an H100 at
// 512 to 8192: 47, 204, 365, 403, 408, where cuBLAS makes 26, 127, 339, 395, 409 (plugins/notes/81_wgmma_tf32.md).
// Source: CUTLASS (its TF32 kernels with swapped operands, warp-specialised and persistent).
// build: least=90 as=90a
#include "../common/gemm/box_launch.h"
#include "../common/gemm/ring.h"
#include "../common/ptx/register_share.h"

namespace rung_81 {

constexpr int kDepth = ladder::kBoxCols;  // n of a stage

// A block's tile of C, and how many blocks share its rows of A: 1 or 2.
template <int kTileRows, int kTileCols, int kBlocksOfCluster>
struct Tile {
    static constexpr int kRows = kTileRows, kCols = kTileCols, kBlocks = kBlocksOfCluster;
    static constexpr bool kIsPair = kBlocks == 2;
    static constexpr int kConsumers = kCols * 2, kThreads = kConsumers + 128;  // a warpgroup for each 64 columns
    static constexpr int kStages = std::min(1536 / (kRows + kCols), 8);        // 192 KB of them, at most
    struct alignas(1024) Stage {
        float a[kRows][kDepth];
        float b[kCols / ladder::kBoxCols][kDepth][ladder::kBoxCols];
        ladder::Mbarrier full, empty;
    };
    struct Shared {
        Stage stages[kStages];
    };
    static_assert(sizeof(Shared) <= 227 << 10, "what a block can have");
};

// What the producer thread does.
template <class T>
__device__ __forceinline__ void produce(typename T::Shared& shared, const ladder::BoxSource& a,
                                        const ladder::BoxSource& b, const ladder::BoxJob& job) {
    ladder::Ring<T> ring(shared);
    job.for_each_tile<T>([&](int row, int col) {
        for (int left = ladder::ceil_div(job.N, kDepth), n = 0; left > 0; --left, n += kDepth) {
            auto& stage = *ring.stage;
            stage.empty.wait(ring.parity ^ 1);
            stage.full.arrive_expecting(sizeof(stage.a) + sizeof(stage.b));
            if (T::kIsPair) {
                a.copy_to_pair(stage.a, row, n, T::kRows / 2, stage.full);
            } else {
                a.copy(stage.a, row, n, stage.full);
            }
            for (int box = 0; box < T::kCols / ladder::kBoxCols; ++box) {
                b.copy(stage.b[box], n, col + box * ladder::kBoxCols, stage.full);
            }
            ring.advance();
        }
    });
}

// What a consumer warpgroup does, for 64 columns of the tile. A warp's 16 are half of a box. With g = lane / 4
// and t = lane % 4 a lane has two of them, own_col and own_col + 1, and of every eight n the ones at t and t + 4.
template <class T>
__device__ __forceinline__ void consume(typename T::Shared& shared, const ladder::BoxJob& job) {
    constexpr int kWords = T::kRows / 2;
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int box = warp / 2, piece = warp % 2 * 2 + g / 4 + g / 2 % 2 * 4, own_col = piece * 4 + g % 2 * 2;
    const int steps = ladder::ceil_div(job.N, kDepth);
    ladder::Ring<T> ring(shared);
    ladder::AsyncProducts products;
    const auto release = [&](typename T::Stage& stage) {
        if (threadIdx.x % 32 != 0) return;
        T::kIsPair ? stage.empty.arrive_in_pair() : stage.empty.arrive();
    };
    uint32_t left[2][2][4];  // of each half of a stage, the operands of two products
    const auto load = [&](int half) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int n = half * 16 + i * 4 + t;
            const float* const from = &ring.stage->b[box][n][ladder::place_of_piece(n, piece) * 4 + own_col % 4];
            const float2 pair = *reinterpret_cast<const float2*>(from);
            left[half][i / 2][i % 2 * 2] = __float_as_uint(pair.x);
            left[half][i / 2][i % 2 * 2 + 1] = __float_as_uint(pair.y);
        }
    };
    job.for_each_tile<T>([&](int row, int col) {
        float sum[kWords] = {};
        const auto multiply = [&](int half) {
            const ladder::SharedRows a(ring.stage->a);
            products.begin();
#pragma unroll
            for (int i = 0; i < 2; ++i) products.request(sum, left[half][i], a.at(half * 64 + i * 32), true);
            products.commit();
            products.template wait<1>();  // for those before these: their registers are free, and perhaps their stage
        };
        ring.stage->full.wait(ring.parity);
        load(0);
        typename T::Stage* before = nullptr;
        for (int step = 0; step < steps; ++step) {
            multiply(0);
            if (step > 0) release(*before);
            load(1);
            multiply(1);
            before = ring.stage;
            ring.advance();
            if (step + 1 == steps) break;
            ring.stage->full.wait(ring.parity);
            load(0);
        }
        products.template wait<0>(sum);
        release(*before);
        job.store(sum, row, col + box * ladder::kBoxCols + own_col);
    });
}

template <class T>
__global__ void __launch_bounds__(T::kThreads, 1)
    wgmma_tf32(const __grid_constant__ ladder::BoxSource a, const __grid_constant__ ladder::BoxSource b,
               ladder::BoxJob job) {
    if (!ladder::kHasWgmma) return;
    extern __shared__ ladder::SharedKilobyte memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    ladder::Cluster cluster(memory->bytes, T::kBlocks);
    if (threadIdx.x == 0) {
        for (auto& stage : shared.stages) stage.full.init(1), stage.empty.init(T::kBlocks * T::kConsumers / 32);
        ladder::show_barriers_to_copies();
    }
    T::kIsPair ? cluster.sync() : __syncthreads();  // the other block's barriers are there, too
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    if (threadIdx.x >= T::kConsumers) {
        if (T::kConsumers > 128) ladder::give_registers<40>();
        if (threadIdx.x == T::kConsumers) produce<T>(shared, a, b, job);
        __syncwarp();
    } else {
        if (T::kConsumers > 128) ladder::take_registers<232>();
        consume<T>(shared, job);
    }
    if (T::kIsPair) cluster.sync();  // the other block copies to this one's memory and arrives at its barriers
}

// By the tile of these that is expected to be the fastest.
template <class... T>
int multiply_by(const solve_gemm_t& call) {
    return ladder::enqueue_boxes(call, {ladder::way_of<T>(call, wgmma_tf32<T>)...});
}

inline int multiply_all(const solve_gemm_t& call) {
    using Large = Tile<256, 128, 2>;
    using Medium = Tile<128, 128, 2>;
    using Small = Tile<64, 128, 1>;
    using Smallest = Tile<64, 64, 1>;
    return multiply_by<Large, Medium, Small, Smallest, Tile<256, 128, 1>, Tile<128, 128, 1>>(call);
}

inline int multiply(const ladder::Gemm& gemm) {
    return multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_81

SOLVE_EXPORT_GEMM_AND_ALL(rung_81::multiply, rung_81::multiply_all,
                          .summary = "TF32 by wgmma: TMA rounds, pairs of blocks share A, B comes through registers",
                          .source = "CUTLASS (TF32 with swapped operands)", .arithmetic = SOLVE_ARITHMETIC_TF32,
                          .minimum_compute_capability = 90)
