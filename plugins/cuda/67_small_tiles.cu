// Tiles of 64 x 64 for two warps, of which six are resident per SM: for sums that end when a pipeline is full.
//
// Against 64: there two blocks of 128 x 128 share an SM, and while one fills its pipeline or stores its tile, a half or
// all of the SM waits; with 72 n that is most of the time. Here six do, each in another phase: what one waits for,
// the others hide. 981 x 72 x 1947 is 496 tiles, all of them on the GPU at once. Against 56, whose small tiles are the
// same idea: copies are asynchronous, two steps of 16 n ahead, and a lane has 8 x 8 sums, not 8 x 4.
//
// Operands lie in shared memory as in memory, transposed or not (warp_operand.h). A warp has 32 rows of the tile: it
// copies its own rows of A, and its share of B, for which the warps meet once a step. A's rows are no other warp's.
//
// C of rows that are not aligned passes through shared memory, so that a warp writes 32 neighbours of a row at a time.
//
// Limit: L2: a tile of that side asks for a word for every 32 FFMA. For long sums there are 84 and 86.
// Source: cuBLAS (its small tiles); CUTLASS.
// build: least=80 emulated=-O1
#include <algorithm>

#include "../common/export/gemm.h"
#include "../common/gemm/epilogue.h"
#include "../common/gemm/warp_operand.h"
#include "../common/ptx/early_launch.h"

namespace rung_67 {

constexpr int kLanesM = 4, kLanesK = 8, kRows = 8;  // lanes along the rows and columns of a warp's part; rows of a lane
constexpr int kOfWarp = kLanesM * kRows;            // rows of a warp

template <int kWarps_, int kCols_, int kStages_, int kResident_>
struct Tile {
    static constexpr int kWarps = kWarps_, kCols = kCols_, kStages = kStages_, kResident = kResident_;
    static constexpr int kThreads = 32 * kWarps, kM = kOfWarp * kWarps, kK = kLanesK * kCols, kN = 16;
    static constexpr int kShareLines = kK / kWarps, kShareN = kN / kWarps;  // of B, a warp copies one or the other
    struct alignas(16) Stage {
        float a[kWarps][kOfWarp * (kN + 4)];
        float b[kK * (kN + 4)];
    };
    union Shared {
        Stage stages[kStages];
        alignas(16) float sums[kWarps][kOfWarp][kK + 4];
    };
};

using Large = Tile<4, 8, 3, 3>;   // 128 x 64
using Medium = Tile<2, 8, 3, 6>;  // 64 x 64
using Small = Tile<2, 4, 3, 8>;   // 64 x 32

// The n from `n` on of op(B)'s tile, by a warp its share: of columns where their n are neighbours, else of n.
template <class T, bool kTransposeB>
__device__ __forceinline__ void request_b(ladder::AsyncCopies& async, typename T::Stage& stage,
                                          const solve_gemm_t& call, const float* tile, int cols, unsigned n, int left,
                                          bool vector) {
    const int warp = threadIdx.x / 32;
    if constexpr (kTransposeB) {
        const int line = warp * T::kShareLines;
        const ladder::WarpOperand<T::kShareLines, T::kN, true> share{tile + line * call.ldb, call.ldb, cols - line,
                                                                     vector};
        share.request(async, &stage.b[line * share.kPitch], n, left);
    } else {
        const int first = warp * T::kShareN;
        const ladder::WarpOperand<T::kK, T::kShareN, false> share{tile, call.ldb, cols, vector};
        share.request(async, &stage.b[first * share.kPitch], n + first, left - first);
    }
}

// Grid: the tiles of all products from first_product on, row by row of tiles.
template <class T, bool kTransposeA, bool kTransposeB>
__global__ void __launch_bounds__(T::kThreads, T::kResident)
    resident_tiles(solve_gemm_t call, int tiles, int64_t first_product, bool vector_a, bool vector_b, bool vector_c) {
    if (!ladder::kHasCpAsync) return;
    extern __shared__ char memory[];
    auto& shared = *reinterpret_cast<typename T::Shared*>(memory);
    ladder::let_next_kernel_start();
    ladder::wait_for_kernel_before();
    const int64_t product = first_product + blockIdx.x / tiles;
    const int tiles_k = ladder::ceil_div(call.K, T::kK), tile = blockIdx.x % tiles;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = tile / tiles_k * T::kM + warp * kOfWarp, tile_col = tile % tiles_k * T::kK;  // of the warp
    const ladder::WarpOperand<kOfWarp, T::kN, !kTransposeA> a{
        ladder::a_of(call, product) + row * (kTransposeA ? 1 : call.lda), call.lda, call.M - row, vector_a};
    const float* const of_b = ladder::b_of(call, product) + tile_col * (kTransposeB ? call.ldb : 1);
    const ladder::OwnLines<kRows, kLanesM, !kTransposeA> rows{lane / kLanesK};
    const ladder::OwnLines<T::kCols, kLanesK, kTransposeB> cols{lane % kLanesK};
    constexpr int kPitchB = kTransposeB ? T::kN + 4 : T::kK;

    ladder::AsyncCopies async;
    const unsigned N = call.N;
    const auto request = [&](typename T::Stage& stage, unsigned n) {
        if (n < N) {
            a.request(async, stage.a[warp], n, N - n);
            request_b<T, kTransposeB>(async, stage, call, of_b, call.K - tile_col, n, N - n, vector_b);
        }
        async.commit();
    };
#pragma unroll
    for (int ahead = 0; ahead < T::kStages - 1; ++ahead) request(shared.stages[ahead], ahead * T::kN);
    float sum[kRows][T::kCols] = {};
    constexpr int kSteps = T::kCols > 4 ? 2 : 4;  // n at a time: registers do for no more
    int stage = 0;
    for (unsigned n = 0; n < N; n += T::kN) {
        async.wait<T::kStages - 2>();
        __syncthreads();  // the stage is there, and nobody reads the one before, which is filled next
        request(shared.stages[stage == 0 ? T::kStages - 1 : stage - 1], n + (T::kStages - 1) * T::kN);
        const typename T::Stage& from = shared.stages[stage];
#pragma unroll
        for (int first = 0; first < T::kN; first += kSteps) {
            alignas(16) float of_rows[kRows][kSteps], of_cols[T::kCols][kSteps];
            rows.template read<kSteps, decltype(a)::kPitch>(of_rows, from.a[warp], first);
            cols.template read<kSteps, kPitchB>(of_cols, from.b, first);
#pragma unroll
            for (int q = 0; q < kSteps; ++q) {
#pragma unroll
                for (int i = 0; i < kRows; ++i) {
#pragma unroll
                    for (int j = 0; j < T::kCols; ++j) sum[i][j] += of_rows[i][q] * of_cols[j][q];
                }
            }
        }
        stage = stage + 1 == T::kStages ? 0 : stage + 1;
    }

    async.wait<0>();
    __syncthreads();  // nobody reads the stages any more
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < T::kCols; ++j) shared.sums[warp][rows.line(i)][cols.line(j)] = sum[i][j];
    }
    __syncwarp();
    const ladder::Epilogue epilogue{call.alpha, call.beta};
    float* const c = ladder::c_of(call, product) + row * call.ldc + tile_col;
    const int rows_left = min(call.M - row, kOfWarp), cols_left = call.K - tile_col;
    if (vector_c) {
        const int x = lane % (T::kK / 4) * 4;
        for (int y = lane / (T::kK / 4); y < rows_left; y += 128 / T::kK) {
            if (x < cols_left) epilogue.store4(&c[y * call.ldc + x], &shared.sums[warp][y][x]);
        }
    } else {
        for (int y = 0; y < rows_left; ++y) {
#pragma unroll
            for (int x = lane; x < T::kK; x += 32) {
                if (x < cols_left) epilogue.store(&c[y * call.ldc + x], shared.sums[warp][y][x]);
            }
        }
    }
}

// A call without a bias.
template <class T>
void launch(const solve_gemm_t& call) {
    const bool ta = call.transpose_a == SOLVE_T, tb = call.transpose_b == SOLVE_T;
    const auto kernel = ta ? (tb ? resident_tiles<T, true, true> : resident_tiles<T, true, false>)
                           : (tb ? resident_tiles<T, false, true> : resident_tiles<T, false, false>);
    const ladder::Vectors vectors(call);
    const int64_t tiles = int64_t{ladder::ceil_div(call.M, T::kM)} * ladder::ceil_div(call.K, T::kK);
    ladder::allow_shared(kernel, sizeof(typename T::Shared));
    const int64_t most = std::max<int64_t>(1, (1 << 30) / tiles);  // products of a launch
    for (int64_t first = 0; first < call.batch; first += most) {
        const auto blocks = static_cast<unsigned>(tiles * std::min<int64_t>(most, call.batch - first));
        ladder::launch_early(kernel, dim3(blocks), T::kThreads, sizeof(typename T::Shared),
                             static_cast<cudaStream_t>(call.stream), call, static_cast<int>(tiles), first, vectors.a,
                             vectors.b, vectors.c);
    }
}

inline int multiply_all(const solve_gemm_t& given) {
    const solve_gemm_t call = ladder::with_bias_added(given);
    const double elements = double(call.M) * call.K * call.batch, tiles = elements / (ladder::sm_count() * 64.0 * 64.0);
    if (elements / (64 * 32) > 1 << 30) return ladder::fail("more tiles than a grid has blocks"), SOLVE_UNSUPPORTED;
    tiles > 16 ? launch<Large>(call) : tiles > 1 ? launch<Medium>(call) : launch<Small>(call);
    return SOLVE_OK;
}

inline void multiply(const ladder::Gemm& gemm) {
    multiply_all(ladder::call_of(gemm));
}

}  // namespace rung_67

SOLVE_EXPORT_GEMM_AND_ALL(rung_67::multiply, rung_67::multiply_all,
                          .summary = "64 with small tiles, many resident per SM, and operands of any form",
                          .source = "cuBLAS (its small tiles), CUTLASS", .minimum_compute_capability = 80)
