// Small tiles, and N cut among the warps of a block: small products need no second kernel.
//
// Against 68: N is cut within the block, sliced-K. A slice is as many warps as cover the tile of C; it multiplies its
// own 8 n of every stage, and at the end the slices add their sums through shared memory, always in the same order. So
// 1024 x 1024 are 128 tiles of 64 x 128, each for 8 warps, one for each SM of an H100 but four; 512 x 512 are 128 tiles
// of 64 x 32. No second kernel adds sums in global memory: 68's takes as long as the product at 512. Only where there
// are fewer tiles than half of the SMs is N cut among blocks too, as in 68: 64 x 16384 x 64 is one tile.
//
// The next kernel may start early and wait on its SM (early_launch.h): 0.7 us from one to the next, not 2. A remainder
// of at most 8 columns goes to other blocks of the same launch (edge_columns.h), on the four SMs that 128 tiles leave
// idle: 1031 columns take 53 us, where a second wave of tiles takes 99. Only that launch's kernel has their code, 87 KB
// for 61: with nothing in L2, its instructions neither, 649 x 100 x 1437 took 17 us with it and takes 12 without.
//
// Limit: shared memory, as for 64; below 1024 x 1024 the first copies, 1 us, and the slices' sums, 1 us.
// Source: CUTLASS (sliced-K).
// build: least=80
#include "../common/gemm/add_pieces.h"
#include "../common/gemm/request_tile.h"
#include "../common/gemm/thread8x8.h"
#include "../common/gemm/tile_plan.h"

namespace rung_69 {

constexpr int kPerThread = 8;  // rows and columns of C a thread
constexpr int kDepth = 8;      // n of a stage that a slice multiplies

// A block's tile of C is kM x kK and it walks along N in steps of kN; a warp's part of it is kWarpM x kWarpK.
template <int kM_, int kK_, int kWarpM_, int kWarpK_, int kSlices_, int kStages_, ladder::LayoutA kLayoutA_>
struct Tile {
    static constexpr int kM = kM_, kK = kK_, kWarpM = kWarpM_, kWarpK = kWarpK_, kSlices = kSlices_;
    static constexpr int kStages = kStages_;  // tiles in shared memory: one is multiplied, the others are in flight
    static constexpr int kN = kDepth * kSlices, kWarpsK = kK / kWarpK;
    static constexpr int kOfSlice = kM / kWarpM * kWarpsK * 32, kThreads = kOfSlice * kSlices;
    static constexpr int kOwn = kPerThread / kSlices;  // rows of a thread that it adds for all slices
    static constexpr bool kEdges = kK == 128;  // narrower tiles leave fewer columns, and their code is to be short
    static constexpr bool kCuts = kK == 64;    // N among blocks; a kernel that can do that has fewer registers left
    static constexpr ladder::Speed kSpeed{kK == 128 ? 0.80 : 0.69, kK == 128 ? 6000 : 5300};  // roughly, on an H100
    static constexpr bool kRowN = kLayoutA_ == ladder::LayoutA::row_n;
    static constexpr int kRowsA = kRowN ? kM : kN, kPitchA = (kRowN ? kN : kM) + 4;
    using Thread = ladder::Thread8x8<kWarpM, kWarpK, kWarpsK, kLayoutA_>;

    struct alignas(16) Stage {
        float a[kRowsA][kPitchA];
        float b[kN][kK];
    };
    union Shared {
        Stage stages[kStages];
        // [to slice][from slice]: the rows that the receiving slice adds, four columns per lane.
        alignas(16) float sums[kSlices][kSlices][kOwn][kPerThread / 4][kOfSlice][4];
        ladder::EdgeColumns edge;
    };
    static_assert(kPitchA % 8 == 4, "rows begin at multiples of 16 bytes, eight neighbours in different banks");
    static_assert(sizeof(Shared) <= 99 << 10, "what a block can have on every GPU from sm_80 on");
};

// Three stages, not four: the loop's body is one for each, and 30 KB of code are read faster than 40.
using Large = Tile<64, 128, 32, 64, 2, 3, ladder::LayoutA::n_row>;
using Medium = Tile<64, 64, 32, 64, 4, 3, ladder::LayoutA::n_row>;
using Small = Tile<64, 32, 64, 32, 8, 3, ladder::LayoutA::row_n>;

// What a block does. After the K columns of the tiles `edge` columns remain, which the last rows of the grid compute.
// If N is cut, blockIdx.z is the piece, at most `depth` long, and its sums go to C + blockIdx.z * piece_stride.
template <class T, bool kVectorA, bool kVectorB, bool kCut, bool kEdge>
__device__ __forceinline__ void multiply_block(const float* A, int64_t lda, const float* B, int64_t ldb, float* C,
                                               int64_t ldc, int M, int N, int K, int edge, int depth,
                                               int64_t piece_stride, float alpha, float beta, bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    ladder::let_next_kernel_start();
    const int n_begin = kCut ? blockIdx.z * depth : 0, n_count = kCut ? min(depth, N - n_begin) : N;
    C += kCut ? blockIdx.z * piece_stride : 0;
    const int tiles_m = ladder::ceil_div(M, T::kM), block_row = blockIdx.y;
    if (kEdge && block_row >= tiles_m) {
        const int block = (block_row - tiles_m) * gridDim.x + blockIdx.x;
        return ladder::multiply_edge<T::kThreads>(shared.edge, block, A + n_begin, lda, B + n_begin * ldb + K, ldb,
                                                  C + K, ldc, M, n_count, edge, {alpha, beta});
    }
    const int tile_row = block_row * T::kM, rows = M - tile_row;  // rows and columns of C from the tile's corner on
    const int tile_col = blockIdx.x * T::kK, cols = K - tile_col;
    const int slice = threadIdx.x / T::kOfSlice, thread = threadIdx.x % T::kOfSlice;
    ladder::AsyncCopies async;
    const float *from_a = A + tile_row * lda + n_begin, *from_b = B + n_begin * ldb + tile_col;
    const auto request = [&](typename T::Stage& stage, int left) {  // the next tiles; `left` of N is ahead of them
        ladder::request_tile_of_a<T::kM, T::kN, kVectorA ? 4 : 1, T::kThreads, !T::kRowN>(async, stage.a, from_a, lda,
                                                                                          rows, left);
        ladder::request_tile<T::kK, kVectorB ? 4 : 1, T::kThreads>(async, stage.b, from_b, ldb, left, cols);
        from_a += T::kN, from_b += T::kN * ldb;
        async.commit();
    };
    // Of this thread's rows: with from_a and from_b alone the loop has other registers, and 512 takes 2 % longer.
    ladder::wait_for_kernel_before(ladder::bits(from_a + threadIdx.x / (T::kRowN ? T::kN / 4 : 8) * lda) |
                                   ladder::bits(from_b + threadIdx.x / (T::kK / 4) * ldb));

    // FFMA along the rows are 2 % faster at 512, but 10 % slower where A as [row][n] comes in words: too few registers.
    // In [row][n] half of a step's reads of A are right behind the barrier; copies stay out of their way: 1 % at 512.
    constexpr bool kSpare = !T::kRowN || (kVectorA && kVectorB);
    constexpr int kRequestAt = T::kRowN && kSpare ? 5 : 0;

    const typename T::Thread place(thread);
    typename T::Thread::Operands operands;
    alignas(16) float sum[kPerThread][kPerThread] = {};
#pragma unroll
    for (int stage = 0; stage < T::kStages - 1; ++stage) request(shared.stages[stage], n_count - stage * T::kN);
    async.wait<T::kStages - 2>();
    __syncthreads();
    place.read_four(operands, shared.stages[0], slice * kDepth, 0);
    place.read(operands, shared.stages[0], slice * kDepth, 0);
    int stage = 0, free = T::kStages - 1;  // the stage that is multiplied, the one to be filled next
#pragma unroll T::kStages                  // stage is then a constant in each copy, and part of the addresses
    for (int left = n_count; left > 0; left -= T::kN) {
#pragma unroll
        for (int n = 0; n < kDepth; ++n) {
            const int next = (n + 1) % kDepth;
            if (next == 0) {
                // The next n is in the next tile: wait until it is there, and until nobody reads the one before this.
                async.wait<T::kStages - 2>();
                __syncthreads();
                stage = (stage + 1) % T::kStages;
            }
            place.read(operands, shared.stages[stage], slice * kDepth, next);
            if (n == kRequestAt) {
                request(shared.stages[free], left - (T::kStages - 1) * T::kN);
                free = stage;  // by then
            }
            T::Thread::template multiply<kSpare>(sum, operands, n);
            if (next % 4 == 0) place.read_four(operands, shared.stages[stage], slice * kDepth, next);
        }
    }

    // Times alpha here: only the products have to be four registers in a row, the sums are where FFMA read them best.
#pragma unroll
    for (int i = 0; i < kPerThread * kPerThread; ++i) sum[i / kPerThread][i % kPerThread] *= alpha;
    async.wait<0>();
    __syncthreads();  // nobody reads the stages any more, and nothing is copied to them
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        auto& to = shared.sums[i / T::kOwn][slice][i % T::kOwn];  // row i is added by the slice i / kOwn
        for (int j = 0; j < kPerThread; j += 4) ladder::copy4(to[j / 4][thread], &sum[i][j]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T::kOwn; ++i) {
        alignas(16) float total[kPerThread] = {};
#pragma unroll
        for (int from = 0; from < T::kSlices; ++from) {
            const auto& part = shared.sums[slice][from][i];
            for (int j = 0; j < kPerThread; j += 4) ladder::add4(&total[j], part[j / 4][thread]);
        }
        auto& read = shared.sums[slice][0][i];  // by this warp alone
        place.store(total, slice * T::kOwn + i, C + tile_row * ldc + tile_col, ldc, rows, cols, {1.0f, beta}, vector_c,
                    read[0][thread / 32 * 32], read[1][thread / 32 * 32]);
    }
}

template <class T, bool kVectorA, bool kVectorB, bool kCut, bool kEdge>
__global__ void __launch_bounds__(T::kThreads, 1)
    slices(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
           int edge, int depth, int64_t piece_stride, float alpha, float beta, bool vector_c) {
    multiply_block<T, kVectorA, kVectorB, kCut, kEdge>(A, lda, B, ldb, C, ldc, M, N, K, edge, depth, piece_stride,
                                                       alpha, beta, vector_c);
}

template <class T, bool kCut, bool kEdge>
auto kernel_for(bool a, bool b) {  // a: in [row][n] alone, else A is transposed by copies of words
    if (T::kRowN && a) return b ? slices<T, T::kRowN, true, kCut, kEdge> : slices<T, T::kRowN, false, kCut, kEdge>;
    return b ? slices<T, false, true, kCut, kEdge> : slices<T, false, false, kCut, kEdge>;
}

template <class T>
void launch(const ladder::Gemm& gemm, int count) {  // N in `count` pieces: more than 1 where T::kCuts only
    const ladder::Pieces pieces(gemm, count, ladder::depth_of_pieces<T>(gemm.N, count));
    const ladder::Gemm part = pieces.part();
    ladder::for_each_slab(part.M, T::kM * 3 / 4, [&](int64_t row, int rows) {  // a quarter of the grid is for edges
        const auto grid = ladder::tile_grid<T>(rows, part.K);
        const bool a = part.vector_a(), b = part.vector_b();
        auto kernel = kernel_for<T, false, false>(a, b);
        if (T::kCuts && pieces.count() > 1) kernel = kernel_for<T, T::kCuts, false>(a, b);
        if (T::kEdges && grid.edge > 0) kernel = kernel_for<T, false, T::kEdges>(a, b);
        ladder::allow_shared(kernel, sizeof(typename T::Shared));
        ladder::launch_early(kernel, grid.blocks(pieces.count()), T::kThreads, sizeof(typename T::Shared), part.stream,
                             part.A + row * part.lda, part.lda, part.B, part.ldb, part.C + row * part.ldc, part.ldc,
                             rows, part.N, part.K - grid.edge, grid.edge, pieces.depth(), pieces.stride(), part.alpha,
                             part.beta, part.vector_c());
    });
    pieces.add();
}

inline void multiply(const ladder::Gemm& gemm) {
    const int sms = ladder::sm_count();
    const auto plan = [&]<class T>(T) { return ladder::tile_plan<T>(T::kSpeed, gemm.M, gemm.N, gemm.K, sms); };
    const auto large = plan(Large{}), medium = plan(Medium{}), small = plan(Small{});
    if (large.cycles <= std::min(medium.cycles, small.cycles)) return launch<Large>(gemm, large.pieces);
    medium.cycles <= small.cycles ? launch<Medium>(gemm, medium.pieces) : launch<Small>(gemm, small.pieces);
}

}  // namespace rung_69

SOLVE_EXPORT_GEMM(rung_69::multiply, .summary = "64 with small tiles, and N cut among the warps of a block",
                  .source = "CUTLASS (sliced-K)", .minimum_compute_capability = 80)
