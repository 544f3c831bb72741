// Small chains in one launch: a cluster of blocks makes 8, 16 or 32 rows of D = A * B, a tile each, which its blocks
// send each other, and multiplies them by C.
//
// Against 10_chain_fused: a cluster in place of a block, so that D's rows are several, not one, and B and C are read as
// much less often. Against two products: one start, and C is in flight while D is computed; from D to E it is some
// hundred ns. And smaller tiles: 128 x 128 are 64 of 8 x 32, where the smallest of 69 make 8.
//
// Every warp multiplies n of its own, 16 at a time, and copies them itself, so that none waits for another until their
// sums are added, always in one order. A row of D has as many tiles as a cluster may have blocks, 8: above K = 256, on
// older GPUs, and where there are more blocks than find room at a time, it is two products.
//
// Measured on an H200, in a graph: 3.4 us at 128 and 7.6 at 256; two products of 90 take 5.7 to 6.6 at 256. With 32
// rows always, and D read from the other blocks behind a barrier, it was 5.0 and 11.2. Limit: what comes one after the
// other: first copies, two loops, sums; and at 256 a warp's second step in each loop.
// Source: 10; CUTLASS (two products in one kernel), NVIDIA's distributed shared memory.
// build: least=75
#include "../common/export/chain.h"
#include "../common/gemm/cluster_room.h"
#include "../common/gemm/epilogue.h"
#include "../common/ptx/cluster.h"
#include "20_warp.h"
#include "by_54.h"
#include "enqueue_products.h"

namespace chain_20 {

constexpr int kWarps = 8, kThreads = 32 * kWarps;
constexpr int kMostRows = 32;       // of a tile of D or E
constexpr int kStages = 2;          // chunks of a warp: one is multiplied, the other in flight
constexpr int kPitchD = kTile + 4;  // of four rows, which a warp reads at once, in different banks, too

template <int kRows>
struct alignas(16) Stage {
    float a[kRows][kChunk + 4];
    float b[kChunk][kTile];
};
template <int kRows>
struct Shared {
    union {
        Stage<kRows> stages[kWarps][kStages];
        alignas(16) float sums[kWarps][kRows][kTile];
    };
    alignas(16) float c[ladder::kMostOfCluster * kTile][kTile];
    alignas(16) float d[ladder::kMostOfCluster][kRows][kPitchD];  // of each block of the cluster
    ladder::Mbarrier all_sent;
};

// The warps' sums added: four neighbours in row threadIdx.x / 8, if the tile has it. Nobody may need the stages any
// more.
template <int kRows>
__device__ __forceinline__ void add_warps(Shared<kRows>& shared, const float (&sum)[kRows / 4][4], float (&total)[4]) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kRows / 4; ++i) {
        ladder::copy4(&shared.sums[warp][lane / 8 + 4 * i][lane % 8 * 4], sum[i]);
    }
    __syncthreads();
    const int row = threadIdx.x / 8, col = threadIdx.x % 8 * 4;
    if (row >= kRows) return;
#pragma unroll
    for (int from = 0; from < kWarps; ++from) ladder::add4(total, &shared.sums[from][row][col]);
}

// By one block of a cluster.
template <int kRows>
__device__ __forceinline__ void multiply_rows(Shared<kRows>& shared, ladder::Cluster& cluster, const Rest& A,
                                              const Rest& B, const Rest& C, float* E, int64_t lde, bool vector_e,
                                              int size, const ladder::Epilogue& epilogue) {
    ladder::let_next_kernel_start();
    constexpr int kBytesOfD = kRows * kTile * static_cast<int>(sizeof(float));
    if (threadIdx.x == 0) {
        shared.all_sent.init(1);
        cluster.show_barriers();
        cluster.announce(shared.all_sent, (size - 1) * kBytesOfD);
    }
    __syncwarp();
    cluster.begin();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = cluster.rank();
    const int N = A.cols, K = B.cols, L = C.cols, first_row = cluster.number() * kRows, rows = A.rows - first_row;
    const int chunks_of_n = ladder::ceil_div(N, kChunk), chunks_of_k = ladder::ceil_div(K, kChunk);
    auto& stages = shared.stages[warp];
    const Own<kChunk, 32> a(A.from(first_row, warp * kChunk), lane);
    const Own<kTile, 32> b(B.from(warp * kChunk, rank * kTile), lane);
    const Own<kTile, kThreads> c(C, threadIdx.x);
    ladder::wait_for_kernel_before(ladder::bits(a.first) | ladder::bits(b.first) | ladder::bits(c.first) | 1);

    ladder::AsyncCopies async;
    const auto request_c = [&](int tile) {
        c.request(async, shared.c, chunks_of_k * kChunk, tile * kTile, K, L - tile * kTile);
    };
    const auto request_chunk = [&](Stage<kRows>& stage, int chunk) {
        if (chunk >= chunks_of_n) return;
        const int n = chunk * kChunk, behind = n - warp * kChunk;
        a.request(async, stage.a, kRows, behind, rows, N - n);
        b.request(async, stage.b, kChunk, behind * B.ld, N - n, K - rank * kTile);
    };
    request_chunk(stages[0], warp);
    async.commit();
    request_chunk(stages[1], warp + kWarps);
    request_c(rank);  // whether that is a tile of E or not
    async.commit();
    alignas(16) float sum[kRows / 4][4] = {}, total[4] = {};
    for (int chunk = warp, stage = 0; chunk < chunks_of_n; chunk += kWarps, stage ^= 1) {
        async.wait<kStages - 1>();
        __syncwarp();
        multiply_chunk(sum, stages[stage].a, 0, stages[stage].b);
        __syncwarp();  // before this stage is filled again
        request_chunk(stages[stage], chunk + kStages * kWarps);
        async.commit();
    }
    async.wait<0>();
    add_warps(shared, sum, total);
    const int row = threadIdx.x / 8, col = threadIdx.x % 8 * 4;  // past K an infinity of A has met zeros
    for (int j = 0; j < 4; ++j) total[j] = rank * kTile + col + j < K ? total[j] : 0.0f;
    cluster.wait_for_begun();
    if (row < kRows) {
        float* const own = &shared.d[rank][row][col];
        ladder::copy4(own, total);
        for (int to = 0; to < size; ++to) {
            if (to != rank) cluster.send4(own, total, to, shared.all_sent);
        }
    }
    cluster.wait_for_sent(shared.all_sent);
    __syncthreads();  // this block's own

    const int tiles = ladder::ceil_div(L, kTile);
    for (int tile = rank; tile < tiles; tile += size) {
        alignas(16) float sum[kRows / 4][4] = {}, total[4] = {};
        for (int chunk = warp; chunk < chunks_of_k; chunk += kWarps) {
            const int k = chunk * kChunk;
            multiply_chunk(sum, shared.d[k / kTile], k % kTile, &shared.c[k]);
        }
        add_warps(shared, sum, total);
        if (tile + size < tiles) request_c(tile + size);  // nobody reads this one's any more
        async.commit();
        float* const e = E + (int64_t{first_row} + row) * lde + tile * kTile + col;
        if (row < kRows && row < rows) epilogue.store_groups<kTile>(e, total, col, L - tile * kTile, vector_e);
        async.wait<0>();
        __syncthreads();
    }
}

// Grid: clusters along M of `size` blocks along K, and then along L.
template <int kRows>
__global__ void __launch_bounds__(kThreads)
    chain_clusters(Rest A, Rest B, Rest C, float* E, int64_t lde, bool vector_e, int size, ladder::Epilogue epilogue) {
    extern __shared__ char memory[];
    ladder::Cluster cluster(memory, size);
    if constexpr (ladder::kHasMbarrier) {
        auto& shared = *reinterpret_cast<Shared<kRows>*>(memory);
        multiply_rows(shared, cluster, A, B, C, E, lde, vector_e, size, epilogue);
    }
}

template <int kRows>
void launch_with(const solve_chain_t& call) {
    const auto whole = [](const float* data, int64_t ld, int rows, int cols) {
        return Rest{data, ld, rows, cols, ladder::aligned16(data, ld) && cols % 4 == 0};
    };
    const int size = ladder::ceil_div(call.K, kTile), shared = sizeof(Shared<kRows>);
    ladder::allow_shared(chain_clusters<kRows>, shared);
    ladder::launch_clusters(chain_clusters<kRows>, ladder::ceil_div(call.M, kRows), size, kThreads, shared,
                            static_cast<cudaStream_t>(call.stream), whole(call.A, call.lda, call.M, call.N),
                            whole(call.B, call.ldb, call.N, call.K), whole(call.C, call.ldc, call.K, call.L), call.E,
                            call.lde, whole(call.E, call.lde, call.M, call.L).vector, size,
                            ladder::Epilogue{call.alpha, call.beta});
}

// Whether the clusters with tiles of so many rows have room at a time, with a block per SM.
inline bool has_room(const solve_chain_t& call, int rows, const ladder::DeviceFigures& device) {
    return ladder::ceil_div(call.M, rows) <= ladder::cluster_room(device).at_a_time(ladder::ceil_div(call.K, kTile), 1);
}

// With tiles of as few rows as there is room for.
inline void launch(const solve_chain_t& call) {
    const ladder::DeviceFigures device = ladder::current_device();
    const auto fits = [&](int rows) { return has_room(call, rows, device); };
    (fits(8) ? launch_with<8> : fits(16) ? launch_with<16> : launch_with<kMostRows>)(call);
}

// Whether the device has clusters, the blocks are one wave and soon done, and (A B) C is the order of fewer
// multiply-adds.
inline bool is_for_clusters(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    const int size = ladder::ceil_div(call.K, kTile);
    return device.capability >= 90 && device.shared_of_block >= int(sizeof(Shared<kMostRows>)) &&
           size <= ladder::kMostOfCluster && call.N <= 512 && ladder::ceil_div(call.L, kTile) <= 2 * size &&
           has_room(call, kMostRows, device) && ladder::cheaper_products(call, ladder::multiply_adds).left_first;
}

inline int multiply(const solve_chain_t& call) {
    if (is_for_clusters(call, ladder::current_device())) return launch(call), SOLVE_OK;
    return ladder::enqueue_products(call, rung_54::Multiplier(SOLVE_ARITHMETIC_FP32));
}

}  // namespace chain_20

SOLVE_EXPORT_CHAIN_AND_ENQUEUE(chain_20::multiply,
                               .summary = "small A*B*C in one launch: clusters of blocks, A*B in their shared memory",
                               .source = "10; CUTLASS, distributed shared memory", .minimum_compute_capability = 75)
