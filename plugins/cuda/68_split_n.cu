// Where C has too few tiles to occupy the GPU, several blocks share one tile: each sums a part of N.
//
// Against 64: a third dimension of the grid. A product of 128 x 8192 x 128 is one tile, so that in 64 one SM of an H100
// works and 131 wait; here 128 blocks take 64 of N each. Every block leaves its partial sums in a slice of workspace of
// the size of C, and a second kernel adds the slices. Adding straight to C with atomics would need no workspace, but
// the order of the additions, and with it the last bits of C, would differ from run to run; here it is the order of n.
//
// How many parts is a balance. More of them are more blocks at work, and more to write and read again: 8 bytes for each
// element and part. splits_for() below weighs both; for large products its answer is 1, and this is 64.
//
// Limit: for small products the two launches and the first copies' latency; else as for 64.
// Source: none of the five texts; "split-K" in the vendor's library and in every other since. (N is our K.)
#include <algorithm>

#include "../common/export/gemm.h"
#include "../common/export/workspace.h"
#include "../common/gemm/epilogue.h"
#include "../common/gemm/tile.h"
#include "../common/ptx/cp_async.h"

namespace rung_68 {

// A block's tile of C is kTileM x kTileK and it walks along N, the contraction, in steps of kTileN.
// (Texts that call the contraction K write BM, BN and BK for these three.)
constexpr int kTileM = 128;
constexpr int kTileK = 128;
constexpr int kTileN = 8;
constexpr int kStages = 4;  // tiles in shared memory: one is multiplied, three are on their way
constexpr int kWarpM = 32;  // a warp's part of the tile
constexpr int kWarpK = 64;
constexpr int kPerThread = 8;                 // rows and columns of C a thread: two groups of 4
constexpr int kLanesM = kWarpM / kPerThread;  // a warp is 4 x 8 lanes
constexpr int kLanesK = kWarpK / kPerThread;
constexpr int kApartM = 4 * kLanesM;  // from one group of 4 rows to the next
constexpr int kApartK = 4 * kLanesK;
constexpr int kThreads = kTileM / kWarpM * (kTileK / kWarpK) * 32;
constexpr int kPitchA = kTileM + 4;

struct alignas(16) Stage {
    float a[kTileN][kPitchA];
    float b[kTileN][kTileK];
};

static_assert(kLanesM == 4 && kLanesK == 8, "the numbering of the lanes below");
static_assert(kThreads == 256 && kTileN == 8, "a pass of the copies of A is 8 n x 32 rows");
static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");
static_assert(kStages * sizeof(Stage) <= 48 << 10, "what a block can have without asking for more");

// 2 blocks an SM: 65536 registers / 512 threads leave 128 for a thread, of which 64 are sums and 32 operands.
template <bool kVectorB>
__global__ void __launch_bounds__(kThreads, 2)
    split_n(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int64_t slice, int M,
            int N, int K, int depth, ladder::Epilogue epilogue, bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    __shared__ Stage stages[kStages];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;

    // This block's part of N and its slice of the result. (A part is `depth` long, or what is left of N.)
    const int n_begin = blockIdx.z * depth, n_count = min(depth, N - n_begin);
    C += blockIdx.z * slice;

    const int a_n = thread % 8, a_row = thread / 8;
    const float* from_a = A + (tile_row + a_row) * lda + n_begin + a_n;

    constexpr int kWidth = kVectorB ? 4 : 1;  // floats a copy
    constexpr int kStepB = kThreads * kWidth / kTileK;
    const int b_n = thread / (kTileK / kWidth), b_col = thread % (kTileK / kWidth) * kWidth;
    const float* from_b = B + (n_begin + b_n) * ldb + tile_col + b_col;

    // Requests the next tile, which has `left` of the part ahead of it. What lies outside of a matrix arrives as zeros.
    ladder::AsyncCopies async;
    const auto request = [&](Stage& stage, int left) {
#pragma unroll
        for (int i = 0; i < kTileM; i += 32) {
            async.copy4(&stage.a[a_n][a_row + i], from_a + i * lda, a_row + i < rows && a_n < left);
        }
        from_a += kTileN;
#pragma unroll
        for (int n = 0; n < kTileN; n += kStepB) {
            const bool inside = n + b_n < left && b_col < cols;
            if constexpr (kVectorB) {
                async.copy16(&stage.b[n + b_n][b_col], from_b + n * ldb, inside);
            } else {
                async.copy4(&stage.b[n + b_n][b_col], from_b + n * ldb, inside);
            }
        }
        from_b += kTileN * ldb;
        async.commit();
    };

    // The corner of this thread's first 4 x 4 in the tile.
    const int y = warp / (kTileK / kWarpK) * kWarpM + lane / 2 % kLanesM * 4;
    const int x = warp % (kTileK / kWarpK) * kWarpK + (lane / 8 * 2 + lane % 2) * 4;

    alignas(16) float a[2][kPerThread], b[2][kPerThread];  // for even and odd n
    const auto load = [&](int stage, int n) {
#pragma unroll
        for (int i = 0; i < kPerThread; i += 4) ladder::copy4(&a[n % 2][i], &stages[stage].a[n][y + i / 4 * kApartM]);
#pragma unroll
        for (int j = 0; j < kPerThread; j += 4) ladder::copy4(&b[n % 2][j], &stages[stage].b[n][x + j / 4 * kApartK]);
    };

    alignas(16) float sum[kPerThread][kPerThread] = {};
#pragma unroll
    for (int stage = 0; stage < kStages - 1; ++stage) request(stages[stage], n_count - stage * kTileN);
    async.wait<kStages - 2>();
    __syncthreads();
    load(0, 0);
    int stage = 0, free = kStages - 1;  // the stage that is multiplied, the one to be filled next
#pragma unroll kStages                  // stage is then a constant in each copy, and part of the addresses
    for (int left = n_count; left > 0; left -= kTileN) {
#pragma unroll
        for (int n = 0; n < kTileN; ++n) {
            if (n == kTileN - 1) {
                // The next n is in the next tile: wait until it is there, and until nobody reads the one before this.
                async.wait<kStages - 2>();
                __syncthreads();
                stage = (stage + 1) % kStages;
            }
            load(stage, (n + 1) % kTileN);
            if (n == 0) {
                request(stages[free], left - (kStages - 1) * kTileN);
                free = stage;  // by then
            }
#pragma unroll
            for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
                for (int step = 0; step < kPerThread; ++step) {
                    const int j = i % 2 ? kPerThread - 1 - step : step;
                    sum[i][j] += a[n % 2][i] * b[n % 2][j];
                }
            }
        }
    }

#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        const int row = y + i / 4 * kApartM + i % 4;
        if (row >= rows) break;
        float* c = C + (tile_row + row) * ldc + tile_col + x;
        if (vector_c) {
#pragma unroll
            for (int j = 0; j < kPerThread; j += 4) {
                const int col = j / 4 * kApartK;
                if (x + col < cols) epilogue.store4(&c[col], &sum[i][j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) {
                const int col = j / 4 * kApartK + j % 4;
                if (x + col < cols) epilogue.store(&c[col], sum[i][j]);
            }
        }
    }
}

// Adds the slices in order. Neighbouring threads take neighbouring elements.
__global__ void __launch_bounds__(kThreads)
    add_slices(const float* slices, int slice, int splits, float* C, int64_t ldc, int K, ladder::Epilogue epilogue) {
    const int at = blockIdx.x * kThreads + threadIdx.x;
    if (at >= slice) return;
    float sum = 0.0f;
    for (int i = 0; i < splits; ++i) sum += slices[int64_t{i} * slice + at];
    epilogue.store(&C[at / K * ldc + at % K], sum);
}

constexpr int64_t kWorkspace = 64 << 20;  // bytes at most
constexpr int kMinDepth = 64;             // of N a part, so that the four stages are filled twice

// The n of a part if N is cut into about that many: whole tiles, so that aligned rows stay aligned.
inline int depth_for(int N, int splits) {
    return static_cast<int>(
        std::min<int64_t>(N, int64_t{ladder::ceil_div(ladder::ceil_div(N, splits), kTileN)} * kTileN));
}

// The number of parts with the least estimated time, in cycles. An SM's 128 FFMA a cycle take 128 cycles for one n of a
// tile. The second launch takes some 2 us, and memory, mostly L2, moves some 2000 bytes a cycle.
inline int splits_for(int M, int N, int K, int multiprocessors) {
    const int64_t tiles = int64_t{ladder::ceil_div(M, kTileM)} * ladder::ceil_div(K, kTileK);
    const int64_t slice = int64_t{M} * K;
    const int64_t most = std::min<int64_t>({N / kMinDepth, 2 * multiprocessors, kWorkspace / 4 / slice});
    int best = 1;
    double best_time = 1e300;
    for (int splits = 1; splits <= std::max<int64_t>(most, 1); ++splits) {
        const int64_t turns = (tiles * splits + multiprocessors - 1) / multiprocessors;
        const double adding = splits > 1 ? 4000 + 8.0 * slice * splits / 2000 : 0;
        const double time = 128.0 * turns * depth_for(N, splits) + adding;
        if (time < best_time) best = splits, best_time = time;
    }
    return best;
}

inline void multiply(const ladder::Gemm& gemm) {
    int device = 0, multiprocessors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);

    const int64_t slice = int64_t{gemm.M} * gemm.K;
    int depth = depth_for(gemm.N, splits_for(gemm.M, gemm.N, gemm.K, multiprocessors));
    int splits = ladder::ceil_div(gemm.N, depth);  // after rounding the depth up, no part is empty
    const ladder::Workspace workspace(splits > 1 ? sizeof(float) * slice * splits : 0, gemm.stream);
    if (!workspace.data()) depth = gemm.N, splits = 1;  // not needed, or not to be had
    ladder::Gemm part = gemm;
    if (splits > 1) part.C = workspace.data(), part.ldc = gemm.K, part.alpha = 1.0f, part.beta = 0.0f;

    const auto kernel = part.vector_b() ? split_n<true> : split_n<false>;
    ladder::for_each_slab(part.M, kTileM, [&](int64_t row, int rows) {
        const dim3 grid(ladder::ceil_div(part.K, kTileK), ladder::ceil_div(rows, kTileM), splits);
        kernel<<<grid, kThreads, 0, part.stream>>>(part.A + row * part.lda, part.lda, part.B, part.ldb,
                                                   part.C + row * part.ldc, part.ldc, slice, rows, part.N, part.K,
                                                   depth, ladder::Epilogue{part.alpha, part.beta}, part.vector_c());
    });
    if (splits > 1) {
        const int blocks = static_cast<int>((slice + kThreads - 1) / kThreads);
        add_slices<<<blocks, kThreads, 0, gemm.stream>>>(part.C, static_cast<int>(slice), splits, gemm.C, gemm.ldc,
                                                         gemm.K, ladder::Epilogue{gemm.alpha, gemm.beta});
    }
}

}  // namespace rung_68

SOLVE_EXPORT_GEMM(rung_68::multiply, .summary = "64 with N split among blocks and a second kernel that adds the parts",
                  .source = "split-K, as in the CUDA libraries", .minimum_compute_capability = 80)
