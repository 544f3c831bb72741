// The multiplications go to the tensor cores, through the warp-wide matrix functions of CUDA C++ (nvcuda::wmma).
//
// Against 40: a warp has one product of fragments, 16 x 16 += (16 x 8) * (8 x 16), where a thread had 8 x 8 outer
// products; A stays as it is, because wmma reads either order. The operands are TF32, floats with 11 significant bits
// of 24: that is 8 times the unit rate of FP32 on an A100 and 7 times on an H100, at 1/8192 of its precision. The
// unit ignores the low 13 bits; __float_to_tf32 on the way to shared memory rounds instead of truncating, which halves
// the error and removes its bias. Sums are FP32.
//
// Rows are padded so that no two words of a fragment share a bank, provided that the lanes hold them as in mma.sync,
// which is undocumented: A 20 words a row (20 g + t for g < 8, t < 4), B 136 (136 t + g). Zeros fill the tiles past the
// edges.
//
// Limit: getting operands to the tensor cores. For 8 n the warps of a block read 8 x 24 words per lane, one at a time,
// and another 64 go to fill the tiles: 256 cycles of shared memory, in which the tensor cores of an A100 do the 64
// products (by the rate of wgmma an H100 needs half of that). And all threads wait for global memory between the two
// barriers.
// Source: FT v10, which only names it.
// build: least=80
#include <mma.h>

#include "../common/gemm/tile.h"

namespace rung_70 {

constexpr int kTileM = 128;
constexpr int kTileK = 128;
constexpr int kTileN = 16;
constexpr int kWarpM = 32;  // a warp's part of the tile
constexpr int kWarpK = 64;
constexpr int kFragment = 16;  // rows and columns of C in a fragment
constexpr int kDepth = 8;      // of the contraction in one instruction
constexpr int kFragmentsM = kWarpM / kFragment;
constexpr int kFragmentsK = kWarpK / kFragment;
constexpr int kWarpsK = kTileK / kWarpK;
constexpr int kWarps = kTileM / kWarpM * kWarpsK;
constexpr int kThreads = 32 * kWarps;
constexpr int kPitchA = kTileN + 4;
constexpr int kPitchB = kTileK + 8;

static_assert(kThreads == 256, "TilePart gives each thread 2048 / 256 = 8 floats of each tile");
static_assert(kTileN % kDepth == 0, "whole instructions");
static_assert(kFragmentsM * kFragmentsK == 8,
              "64 sums per thread of the 128 registers that two blocks per SM leave it");
static_assert(kPitchA % 4 == 0 && kPitchB % 4 == 0, "wmma and 128-bit stores want rows at multiples of 16 bytes");
static_assert(kWarps * kFragment <= kTileM && kPitchA >= kFragment, "A's tile has a patch of 16 x 16 for each warp");

template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads, 2)
    wmma_tf32(const float* A, const float* B, float* C, int M, int N, int K) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    namespace wmma = nvcuda::wmma;
    using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
    using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
    using FragmentC = wmma::fragment<wmma::accumulator, 16, 16, 8, float>;

    __shared__ alignas(32) float tile_a[kTileM][kPitchA];
    __shared__ alignas(32) float tile_b[kTileN][kPitchB];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    const int y = warp / kWarpsK * kWarpM, x = warp % kWarpsK * kWarpK;  // the warp's corner in the tile

    FragmentC sum[kFragmentsM][kFragmentsK];
#pragma unroll
    for (int i = 0; i < kFragmentsM; ++i) {
#pragma unroll
        for (int j = 0; j < kFragmentsK; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
    }

    for (int left = N; left > 0; left -= kTileN) {
        part_a.fetch(rows, left, kTileN);
        part_b.fetch(left, cols, size_t(kTileN) * K);
#pragma unroll
        for (int i = 0; i < part_a.kCount; ++i) {
            tile_a[part_a.row(i)][part_a.col(i)] = wmma::__float_to_tf32(part_a.value[i]);
        }
#pragma unroll
        for (int i = 0; i < part_b.kCount; ++i) {
            tile_b[part_b.row(i)][part_b.col(i)] = wmma::__float_to_tf32(part_b.value[i]);
        }
        __syncthreads();
#pragma unroll 1  // two copies of the body need more than 128 registers, most of it for the addresses of the loads
        for (int n = 0; n < kTileN; n += kDepth) {
            FragmentA a[kFragmentsM];
#pragma unroll
            for (int i = 0; i < kFragmentsM; ++i) {
                wmma::load_matrix_sync(a[i], &tile_a[y + i * kFragment][n], kPitchA);
            }
#pragma unroll
            for (int j = 0; j < kFragmentsK; ++j) {
                FragmentB b;
                wmma::load_matrix_sync(b, &tile_b[n][x + j * kFragment], kPitchB);
#pragma unroll
                for (int i = 0; i < kFragmentsM; ++i) wmma::mma_sync(sum[i][j], a[i], b, sum[i][j]);
            }
        }
        __syncthreads();
    }

    // Nobody says which thread holds which element, and wmma stores whole fragments to rows that are multiples of 16
    // bytes. So each goes through shared memory, where the last tile of A is done with: a patch of 16 rows a warp.
    float(*const patch)[kPitchA] = &tile_a[warp * kFragment];
    const int patch_row = lane / kFragment, patch_col = lane % kFragment;
#pragma unroll
    for (int i = 0; i < kFragmentsM; ++i) {
#pragma unroll
        for (int j = 0; j < kFragmentsK; ++j) {
            wmma::store_matrix_sync(&patch[0][0], sum[i][j], kPitchA, wmma::mem_row_major);
            __syncwarp();
            const int row = y + i * kFragment + patch_row, col = x + j * kFragment + patch_col;
            float* const c = C + size_t(tile_row + row) * K + tile_col + col;
#pragma unroll
            for (int r = 0; r < kFragment; r += 2) {
                if (row + r < rows && col < cols) c[size_t(r) * K] = patch[patch_row + r][patch_col];
            }
            __syncwarp();  // the next fragment overwrites the patch
        }
    }
#endif
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const bool vector_a = ladder::aligned16(A, N), vector_b = ladder::aligned16(B, K);
    const auto kernel = vector_a ? (vector_b ? wmma_tf32<true, true> : wmma_tf32<true, false>)
                                 : (vector_b ? wmma_tf32<false, true> : wmma_tf32<false, false>);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, kThreads>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_70

SOLVE_EXPORT(rung_70::multiply, .summary = "tensor cores through wmma, TF32, 128x128x16 tiles",
             .source = "FT v10 (names it only)", .arithmetic = SOLVE_ARITHMETIC_TF32, .minimum_compute_capability = 80)
