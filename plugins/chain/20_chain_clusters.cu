// Small chains in one launch: a cluster of blocks makes 32 rows of D = A * B, a tile each, and multiplies them by C out
// of each other's shared memory.
//
// Against 10_chain_fused: a cluster in place of a block, so that D's rows are 32, not one, and B and C are read a
// thirtieth as often. Against two products: one start, and C is in flight while D is computed; D to E is a barrier of
// the cluster and some hundred ns. And smaller tiles: 256 x 256 are 64 of them, where the smallest of 69 make 32.
//
// Every warp multiplies n of its own, 16 at a time, and copies them itself, so that none waits for another until their
// sums are added, always in one order. A row of D has as many tiles as a cluster may have blocks, 8: above K = 256, on
// older GPUs, and where there are more blocks than find room at a time, it is two products.
//
// Measured on an H100, in a graph: 5.5 us at 128 and 10.9 at 256; two products of 90 take 6.7 and 9.9. Limit: what
// comes one after the other: first copies, two loops, sums; and at 256 a warp's second step in each loop, 2.7 us.
// Source: 10; CUTLASS (two products in one kernel), NVIDIA's distributed shared memory.
// build: least=75
#include "../common/export/chain.h"
#include "../common/gemm/epilogue.h"
#include "../common/ptx/cluster.h"
#include "../common/ptx/cp_async.h"
#include "by_54.h"
#include "enqueue_products.h"

namespace chain_20 {

constexpr int kWarps = 8, kThreads = 32 * kWarps;
constexpr int kTile = 32;            // rows and columns of D or E
constexpr int kChunk = 16;           // n that a warp multiplies at a time
constexpr int kStages = 2;           // chunks of a warp: one is multiplied, the other in flight
constexpr int kPitchD = kTile + 16;  // half rows of neighbours are in different banks

struct alignas(16) Stage {
    float a[kTile][kChunk + 4];  // four rows, which a warp reads at once, are in different banks
    float b[kChunk][kTile];
};
struct Shared {
    union {
        Stage stages[kWarps][kStages];
        alignas(16) float sums[kWarps][kTile][kTile];
    };
    alignas(16) float c[ladder::kMostOfCluster * kTile][kTile];
    alignas(16) float d[kTile][kPitchD];
};
static_assert(sizeof(Shared) <= 113 << 10, "two blocks per SM");

// A row-major matrix of which rows x cols are left from here on.
struct Rest {
    const float* data;
    int64_t ld;
    int rows, cols;
    bool vector;  // its rows can be copied 16 bytes at a time

    __device__ __forceinline__ Rest from(int row, int col) const {
        return {data + row * ld + col, ld, rows - row, cols - col, vector};
    }
};

// Requests `rows` rows of kCols columns, by kCount threads of which this is number `thread`; what is outside is zero.
template <int kCols, int kCount, int kPitch>
__device__ __forceinline__ void request(ladder::AsyncCopies& async, float (*to)[kPitch], int rows, const Rest& rest,
                                        int thread) {
    const int width = rest.vector ? 4 : 1, lanes = kCols / width;
    const int first = thread / lanes, col = thread % lanes * width;
    for (int row = first; row < rows; row += kCount / lanes) {
        const bool inside = row < rest.rows && col < rest.cols;
        const float* const from = rest.data + row * rest.ld + col;
        rest.vector ? async.copy16(&to[row][col], from, inside) : async.copy4(&to[row][col], from, inside);
    }
}

// A lane has rows lane / 8, + 4, ... and 4 columns of the tile. sum += the products of a chunk.
__device__ __forceinline__ void multiply_chunk(float (&sum)[8][4], const float (*a)[kChunk + 4],
                                               const float (*b)[kTile]) {
    const int lane = threadIdx.x % 32, row = lane / 8, col = lane % 8 * 4;
#pragma unroll
    for (int first = 0; first < kChunk; first += 4) {
        alignas(16) float of_a[8][4], of_b[4];
#pragma unroll
        for (int i = 0; i < 8; ++i) ladder::copy4(of_a[i], &a[row + 4 * i][first]);
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            ladder::copy4(of_b, &b[first + n][col]);
#pragma unroll
            for (int i = 0; i < 32; ++i) sum[i / 4][i % 4] += of_a[i / 4][n] * of_b[i % 4];
        }
    }
}

// The warps' sums added: four neighbours in row threadIdx.x / 8. Nobody may need the stages any more.
__device__ __forceinline__ void add_warps(Shared& shared, const float (&sum)[8][4], float (&total)[4]) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) ladder::copy4(&shared.sums[warp][lane / 8 + 4 * i][lane % 8 * 4], sum[i]);
    __syncthreads();
    const int row = threadIdx.x / 8, col = threadIdx.x % 8 * 4;
#pragma unroll
    for (int from = 0; from < kWarps; ++from) ladder::add4(total, &shared.sums[from][row][col]);
}

// Grid: clusters along M of `size` blocks along K, and then along L.
__global__ void __launch_bounds__(kThreads, 2)
    chain_clusters(Rest A, Rest B, Rest C, float* E, int64_t lde, bool vector_e, int size, ladder::Epilogue epilogue) {
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<Shared*>(memory);
    ladder::Cluster cluster(memory, size);
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rank = cluster.rank();
    const int N = A.cols, K = B.cols, L = C.cols, first_row = cluster.number() * kTile, rows = A.rows - first_row;
    const int chunks_of_n = ladder::ceil_div(N, kChunk), chunks_of_k = ladder::ceil_div(K, kChunk);
    Stage(&stages)[kStages] = shared.stages[warp];

    ladder::AsyncCopies async;
    const auto request_c = [&](int tile) {
        request<kTile, kThreads>(async, shared.c, chunks_of_k * kChunk, C.from(0, tile * kTile), threadIdx.x);
    };
    const auto request_chunk = [&](Stage& stage, int chunk) {
        if (chunk >= chunks_of_n) return;
        request<kChunk, 32>(async, stage.a, kTile, A.from(first_row, chunk * kChunk), lane);
        request<kTile, 32>(async, stage.b, kChunk, B.from(chunk * kChunk, rank * kTile), lane);
    };
    request_chunk(stages[0], warp);
    async.commit();
    request_chunk(stages[1], warp + kWarps);
    request_c(rank);  // whether that is a tile of E or not
    async.commit();
    alignas(16) float sum[8][4] = {}, total[4] = {};
    for (int chunk = warp, stage = 0; chunk < chunks_of_n; chunk += kWarps, stage ^= 1) {
        async.wait<kStages - 1>();
        __syncwarp();
        multiply_chunk(sum, stages[stage].a, stages[stage].b);
        __syncwarp();  // before this stage is filled again
        request_chunk(stages[stage], chunk + kStages * kWarps);
        async.commit();
    }
    async.wait<0>();
    add_warps(shared, sum, total);
    const int row = threadIdx.x / 8, col = threadIdx.x % 8 * 4;  // past K an infinity of A has met zeros
    for (int j = 0; j < 4; ++j) total[j] = rank * kTile + col + j < K ? total[j] : 0.0f;
    ladder::copy4(&shared.d[row][col], total);
    cluster.sync();

    const int tiles = ladder::ceil_div(L, kTile);
    for (int tile = rank; tile < tiles; tile += size) {
        alignas(16) float sum[8][4] = {}, total[4] = {};
        for (int chunk = warp; chunk < chunks_of_k; chunk += kWarps) {
            const float* const from = cluster.of_rank(&shared.d[0][chunk * kChunk % kTile], chunk * kChunk / kTile);
#pragma unroll
            for (int i = 0; i < kTile; i += 8) {
                const int there = i + lane / 4, n = lane % 4 * 4;
                ladder::copy4(&stages[0].a[there][n], from + there * kPitchD + n);
            }
            __syncwarp();
            multiply_chunk(sum, stages[0].a, &shared.c[chunk * kChunk]);
            __syncwarp();
        }
        add_warps(shared, sum, total);
        if (tile + size < tiles) request_c(tile + size);  // nobody reads this one's any more
        async.commit();
        float* const e = E + (int64_t{first_row} + row) * lde + tile * kTile + col;
        if (row < rows) epilogue.store_groups<kTile>(e, total, col, L - tile * kTile, vector_e);
        async.wait<0>();
        __syncthreads();
    }
    cluster.sync();  // nobody reads this block's D any more
}

inline void launch(const solve_chain_t& call) {
    const auto whole = [](const float* data, int64_t ld, int rows, int cols) {
        return Rest{data, ld, rows, cols, ladder::aligned16(data, ld) && cols % 4 == 0};
    };
    const int size = ladder::ceil_div(call.K, kTile);
    ladder::allow_shared(chain_clusters, sizeof(Shared));
    ladder::launch_clusters(chain_clusters, ladder::ceil_div(call.M, kTile), size, kThreads, sizeof(Shared),
                            static_cast<cudaStream_t>(call.stream), whole(call.A, call.lda, call.M, call.N),
                            whole(call.B, call.ldb, call.N, call.K), whole(call.C, call.ldc, call.K, call.L), call.E,
                            call.lde, whole(call.E, call.lde, call.M, call.L).vector, size,
                            ladder::Epilogue{call.alpha, call.beta});
}

// Whether the device has clusters, the blocks are one wave and soon done, and (A B) C is the order of fewer
// multiply-adds.
inline bool is_for_clusters(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    const int size = ladder::ceil_div(call.K, kTile);
    return device.capability >= 90 && device.shared_of_block >= int(sizeof(Shared)) && size <= ladder::kMostOfCluster &&
           call.N <= 512 && ladder::ceil_div(call.L, kTile) <= 2 * size &&
           int64_t{ladder::ceil_div(call.M, kTile)} * size <= 2 * device.sms &&
           ladder::cheaper_products(call, ladder::multiply_adds).left_first;
}

inline int multiply(const solve_chain_t& call) {
    if (is_for_clusters(call, ladder::current_device())) return launch(call), SOLVE_OK;
    return ladder::enqueue_products(call, rung_54::Multiplier(SOLVE_ARITHMETIC_FP32));
}

}  // namespace chain_20

SOLVE_EXPORT_CHAIN_AND_ENQUEUE(chain_20::multiply,
                               .summary = "small A*B*C in one launch: clusters of blocks, A*B in their shared memory",
                               .source = "10; CUTLASS, distributed shared memory", .minimum_compute_capability = 75)
