// Small chains in one launch: a cluster of blocks makes 8 to 32 rows of D = A * B, a tile each, which its blocks send
// each other through distributed shared memory, and multiplies them by C.
//
// Against 10_chain_fused: a cluster in place of a block, so that D's rows are several, not one, and B and C are read as
// much less often. Against two products: one start, and C is in flight while D is computed. And smaller tiles: 128 x
// 128 are 64 of 8 x 32, where the smallest of 69 make 8.
//
// Every warp multiplies 16 or 32 n of its own and copies them itself, and then the k of D that come from one block, so
// that none waits for another until their sums are added, always in one order. A row of D has as many tiles as a
// cluster may have blocks, 8: above N or K = 256, on older GPUs, and with more blocks than SMs, it is two products.
//
// Measured on an H200, in a graph: 2.3 us at 128 and 4.8 at 256, two cuBLAS calls 8.7 and 12.5. Limit: what comes one
// after the other; at 256 copies, two loops bound by shared memory, and D, 18 KB for each block from the others.
// Source: 10; CUTLASS (two products in one kernel), NVIDIA's distributed shared memory.
// build: least=75
#include "../common/export/chain.h"
#include "../common/gemm/epilogue.h"
#include "../common/ptx/cluster.h"
#include "20_plan.h"
#include "20_warp.h"
#include "by_54.h"
#include "enqueue_products.h"

namespace chain_20 {

constexpr int kThreads = 32 * kWarps;

template <int kRows, int kChunk>
struct alignas(16) Stage {
    float a[kRows][kChunk];
    float b[kChunk][kTile];
};
template <int kRows, int kChunk>
struct Shared {
    static constexpr int kTiles = kWarps * kChunk / kTile;  // of D, a block's of the cluster each
    union {
        Stage<kRows, kChunk> stages[kWarps];
        alignas(16) float sums[kWarps][kRows][kTile];
    };
    alignas(16) float c[kWarps * kChunk][kTile];
    alignas(16) float d[kTiles][kRows][kTile];
    ladder::Mbarrier sent[kTiles];
};

// The warps' sums added: four neighbours in row threadIdx.x / 8, if the tile has it. Nobody may need the stages then.
template <int kRows, int kChunk>
__device__ __forceinline__ void add_warps(Shared<kRows, kChunk>& shared, const LaneSums<kRows>& sums,
                                          float (&total)[4]) {
    const int warp = threadIdx.x / 32;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < sums.kOwn; ++i) {
        ladder::copy4(&shared.sums[warp][sums.first_row() + 2 * i][sums.first_col()], sums.sum[i]);
    }
    __syncthreads();
    const int row = threadIdx.x / 8, col = threadIdx.x % 8 * 4;
    if (row >= kRows) return;
#pragma unroll
    for (int from = 0; from < kWarps; ++from) ladder::add4(total, &shared.sums[from][row][col]);
}

// By one block of a cluster.
template <int kRows, int kChunk>
__device__ __forceinline__ void multiply_rows(Shared<kRows, kChunk>& shared, ladder::Cluster& cluster, const Rest& A,
                                              const Rest& B, const Rest& C, float* E, int64_t lde, bool vector_e,
                                              int size, const ladder::Epilogue& epilogue) {
    ladder::let_next_kernel_start();
    constexpr unsigned kBytesOfTile = kRows * kTile * sizeof(float);
    if (threadIdx.x == 0) {
        for (auto& each : shared.sent) each.init(1);
        cluster.show_barriers();
        for (auto& each : shared.sent) cluster.announce(each, kBytesOfTile);
    }
    __syncwarp();
    cluster.begin();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = cluster.rank();
    const int N = A.cols, K = B.cols, L = C.cols, first_row = cluster.number() * kRows, rows = A.rows - first_row;
    const int first = warp * kChunk;  // of this warp's n and k
    auto& stage = shared.stages[warp];
    const Own<kRows, kChunk, 32> a(A.from(first_row, first), lane);
    const Own<kChunk, kTile, 32> b(B.from(first, rank * kTile), lane);
    const Own<kWarps * kChunk, kTile, kThreads> c(C, threadIdx.x);
    ladder::wait_for_kernel_before(ladder::bits(a.first) | ladder::bits(b.first) | ladder::bits(c.first) | 1);

    ladder::AsyncCopies async;
    const auto request_c = [&](int tile) { c.request(async, shared.c, tile * kTile, K, L - tile * kTile); };
    if (first < N) {
        a.request(async, stage.a, 0, rows, N - first);
        b.request(async, stage.b, 0, N - first, K - rank * kTile);
    }
    async.commit();
    request_c(rank);  // whether that is a tile of E or not
    async.commit();
    async.wait<1>();
    __syncwarp();
    LaneSums<kRows> sums{};
    alignas(16) float total[4] = {};
    if (first < N) sums.template multiply<kChunk>(stage.a, 0, stage.b);
    add_warps(shared, sums, total);
    const int row = threadIdx.x / 8, col = threadIdx.x % 8 * 4;  // past K an infinity of A has met zeros
    for (int j = 0; j < 4; ++j) total[j] = rank * kTile + col + j < K ? total[j] : 0.0f;
    cluster.wait_for_begun();
    if (row < kRows) {
        for (int i = 0; i < size; ++i) {
            cluster.send4(&shared.d[rank][row][col], total, rank + i < size ? rank + i : rank + i - size,
                          shared.sent[rank]);
        }
    }
    async.wait<0>();
    __syncthreads();  // C
    const int of_d = first / kTile;
    if (first < K) cluster.wait_for_sent(shared.sent[of_d], size * kBytesOfTile);

    const int tiles = ladder::ceil_div(L, kTile);
    for (int tile = rank; tile < tiles; tile += size) {
        LaneSums<kRows> sums{};
        alignas(16) float total[4] = {};
        if (first < K) sums.template multiply<kChunk>(shared.d[of_d], first % kTile, &shared.c[first]);
        add_warps(shared, sums, total);
        if (tile + size < tiles) request_c(tile + size);  // nobody reads this one's any more
        async.commit();
        float* const e = E + (int64_t{first_row} + row) * lde + tile * kTile + col;
        if (row < kRows && row < rows) epilogue.store_groups<kTile>(e, total, col, L - tile * kTile, vector_e);
        if (tile + size >= tiles) break;
        async.wait<0>();
        __syncthreads();
    }
}

// Grid: clusters along M of `size` blocks along K, and then along L.
template <int kRows, int kChunk>
__global__ void __launch_bounds__(kThreads)
    chain_clusters(Rest A, Rest B, Rest C, float* E, int64_t lde, bool vector_e, int size, ladder::Epilogue epilogue) {
    extern __shared__ char memory[];
    ladder::Cluster cluster(memory, size);
    if constexpr (ladder::kHasMbarrier) {
        auto& shared = *reinterpret_cast<Shared<kRows, kChunk>*>(memory);
        multiply_rows(shared, cluster, A, B, C, E, lde, vector_e, size, epilogue);
    }
}

// With so much shared memory that no two blocks fit on an SM: they would be placed in pairs, and other SMs idle. 128
// takes 2.6 us so, and 3.6 with what it needs.
template <int kRows, int kChunk>
void launch_with(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    const auto whole = [](const float* data, int64_t ld, int rows, int cols) {
        return Rest{data, ld, rows, cols, ladder::aligned16(data, ld) && cols % 4 == 0};
    };
    const int size = ladder::ceil_div(call.K, kTile);
    const int shared = ladder::shared_that_lets(1, sizeof(Shared<kRows, kChunk>), device);
    ladder::allow_shared(chain_clusters<kRows, kChunk>, shared);
    ladder::launch_clusters(chain_clusters<kRows, kChunk>, ladder::ceil_div(call.M, kRows), size, kThreads, shared,
                            static_cast<cudaStream_t>(call.stream), whole(call.A, call.lda, call.M, call.N),
                            whole(call.B, call.ldb, call.N, call.K), whole(call.C, call.ldc, call.K, call.L), call.E,
                            call.lde, whole(call.E, call.lde, call.M, call.L).vector, size,
                            ladder::Epilogue{call.alpha, call.beta});
}

inline void launch(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    const auto [rows, chunk, tiles] = plan_of(call, device);
    const auto with = [&](auto with_16, auto with_32) { (chunk == 16 ? with_16 : with_32)(call, device); };
    rows == 8    ? with(launch_with<8, 16>, launch_with<8, 32>)
    : rows == 12 ? with(launch_with<12, 16>, launch_with<12, 32>)
    : rows == 16 ? with(launch_with<16, 16>, launch_with<16, 32>)
    : rows == 20 ? with(launch_with<20, 16>, launch_with<20, 32>)
    : rows == 24 ? with(launch_with<24, 16>, launch_with<24, 32>)
                 : with(launch_with<32, 16>, launch_with<32, 32>);
}

// Whether the device has clusters, each warp has a chunk at most, and the blocks are one wave and soon done. What the
// order of products saves does not matter then.
inline bool is_for_clusters(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    return device.capability >= 90 && device.shared_of_block >= int(sizeof(Shared<kMostRows, kMostChunk>)) &&
           std::max(call.N, call.K) <= kWarps * kMostChunk && plan_of(call, device).tiles <= 2 &&
           has_room(call, kMostRows, device);
}

inline int multiply(const solve_chain_t& call) {
    const ladder::DeviceFigures device = ladder::current_device();
    if (is_for_clusters(call, device)) return launch(call, device), SOLVE_OK;
    return ladder::enqueue_products(call, rung_54::Multiplier(SOLVE_ARITHMETIC_FP32));
}

}  // namespace chain_20

SOLVE_EXPORT_CHAIN_AND_ENQUEUE(chain_20::multiply,
                               .summary = "small A*B*C in one launch: clusters of blocks, A*B in their shared memory",
                               .source = "10; CUTLASS, distributed shared memory", .minimum_compute_capability = 75)
