// The full operation of the BLAS, C = alpha * A * B + beta * C, with leading dimensions and a stream.
//
// Against 50: the main loop is the same; the sums are scaled and C's old values added in the epilogue. Three rules of
// the BLAS keep that from being one line. beta == 0 does not read C: it may hold NaN, and 0 * NaN is NaN. alpha == 0
// reads neither A nor B: the product is then an empty sum, N = 0. And a row of length N may be part of one of length
// lda, so that 128-bit loads need both to be multiples of 4: with N = 6 and lda = 8 the last group of a row would
// reach past its end, for the last row perhaps past the end of the memory. Later rungs have these from
// common/export/gemm.h.
//
// Limit: as for 50. Reading C adds 4 bytes for 2 N operations, nothing to notice where N is in the hundreds.
// Source: NB 8, OK. NB reads C even if beta is 0, so NaN there gives NaN, and its grid of M / 128 by K / 128 blocks
// drops the remainder.
#include "../common/gemm/tile.h"

namespace rung_54 {

constexpr int kTileM = 128;
constexpr int kTileK = 128;
constexpr int kTileN = 8;
constexpr int kPerThread = 8;  // rows and columns of C per thread: two groups of 4, half a tile from each other
constexpr int kStrideM = kTileM / 2, kStrideK = kTileK / 2;
constexpr int kThreadsX = kTileK / kPerThread;
constexpr int kThreadsY = kTileM / kPerThread;
constexpr int kThreads = kThreadsX * kThreadsY;

// Row pitch of A's transposed tile. Thread t stores its four floats in the rows 4 (t % 2) + i, column t / 2. With 128
// words a row the threads t and t + 1 would meet in bank t / 2; 4 rows of 132 words are 528 = 16 * 32 + 16, so the odd
// threads use the other 16 banks. (Single words: rows t % 8, column t / 8, bank 4 (t % 8) + t / 8: all different.)
constexpr int kPitchA = kTileM + 4;

static_assert(kThreads == 256, "TilePart gives each thread 1024 / 256 = 4 floats of each tile: one 128-bit load");
static_assert(kPitchA % 4 == 0, "each row of the tile starts at a multiple of 16 bytes, for 128-bit reads");

// 2 blocks per SM: 65536 registers / 512 threads leave 128 for a thread, of which 64 are sums.
template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads, 2)
    alpha_beta(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
               float alpha, float beta, bool vector_c) {
    __shared__ alignas(16) float tile_a[2][kTileN][kPitchA];
    __shared__ alignas(16) float tile_b[2][kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + tile_row * lda, lda);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, ldb);

    const int y = 4 * threadIdx.y, x = 4 * threadIdx.x;  // the corner of this thread's first 4 x 4 in the tile

    alignas(16) float sum[kPerThread][kPerThread] = {};
    int buffer = 0;
    part_a.fetch(rows, N, kTileN);
    part_b.fetch(N, cols, kTileN * ldb);
#pragma unroll 2  // buffer is then a constant in each copy, and part of the addresses
    for (int left = N; left > 0; left -= kTileN) {
#pragma unroll
        for (int i = 0; i < part_a.kCount; ++i) tile_a[buffer][part_a.col(i)][part_a.row(i)] = part_a.value[i];
#pragma unroll
        for (int i = 0; i < part_b.kCount; ++i) tile_b[buffer][part_b.row(i)][part_b.col(i)] = part_b.value[i];
        __syncthreads();
        part_a.fetch(rows, left - kTileN, kTileN);  // nothing, at the last step
        part_b.fetch(left - kTileN, cols, kTileN * ldb);
#pragma unroll
        for (int n = 0; n < kTileN; ++n) {
            alignas(16) float a[kPerThread], b[kPerThread];
#pragma unroll
            for (int i = 0; i < kPerThread; i += 4) ladder::copy4(&a[i], &tile_a[buffer][n][y + i / 4 * kStrideM]);
#pragma unroll
            for (int j = 0; j < kPerThread; j += 4) ladder::copy4(&b[j], &tile_b[buffer][n][x + j / 4 * kStrideK]);
#pragma unroll
            for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
                for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * b[j];
            }
        }
        buffer ^= 1;
    }

#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        const int row = y + i / 4 * kStrideM + i % 4;
        if (row >= rows) break;
        float* c = C + (tile_row + row) * ldc + tile_col + x;
        if (vector_c) {
#pragma unroll
            for (int j = 0; j < kPerThread; j += 4) {
                const int col = j / 4 * kStrideK;
                if (x + col >= cols) break;
                alignas(16) float old[4] = {};
                if (beta != 0.0f) ladder::copy4(old, &c[col]);
#pragma unroll
                for (int q = 0; q < 4; ++q) sum[i][j + q] = alpha * sum[i][j + q] + beta * old[q];
                ladder::copy4(&c[col], &sum[i][j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < kPerThread; ++j) {
                const int col = j / 4 * kStrideK + j % 4;
                if (x + col < cols) c[col] = alpha * sum[i][j] + (beta != 0.0f ? beta * c[col] : 0.0f);
            }
        }
    }
}

inline void launch(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
                   float alpha, float beta, cudaStream_t stream) {
    const bool vector_a = ladder::aligned16(A, lda) && N % 4 == 0;
    const bool vector_b = ladder::aligned16(B, ldb) && K % 4 == 0;
    const bool vector_c = ladder::aligned16(C, ldc) && K % 4 == 0;
    const auto kernel = vector_a ? (vector_b ? alpha_beta<true, true> : alpha_beta<true, false>)
                                 : (vector_b ? alpha_beta<false, true> : alpha_beta<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](int64_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block, 0, stream>>>(A + row * lda, lda, B, ldb, C + row * ldc, ldc, rows, N, K, alpha, beta,
                                           vector_c);
    });
}

inline int enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C, int64_t ldc, int M, int N, int K,
                   float alpha, float beta, void* stream) {
    ladder::clear_error();
    cudaGetLastError();  // an error left by an earlier call is not this call's
    if (!ladder::valid(A, B, C, M, N, K) || !ladder::valid_leading(lda, ldb, ldc, M, N, K)) {
        return SOLVE_INVALID_ARGUMENT;
    }
    if (M == 0 || K == 0) return SOLVE_OK;
    if (alpha == 0.0f) N = 0;  // the product does not count: do not read A and B
    if (N == 0) alpha = 0.0f;  // nor does alpha: Inf times an empty sum would be NaN
    if (N == 0 && beta == 1.0f) return SOLVE_OK;
    launch(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, static_cast<cudaStream_t>(stream));
    return ladder::finish() ? SOLVE_OK : SOLVE_DEVICE_ERROR;
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    launch(A, N, B, K, C, K, M, N, K, 1.0f, 0.0f, nullptr);
}

}  // namespace rung_54

SOLVE_EXPORT(rung_54::multiply, .summary = "50 with alpha, beta, leading dimensions and a stream", .source = "NB 8, OK",
             .entries = SOLVE_ENTRY_SOLVE | SOLVE_ENTRY_ENQUEUE)
SOLVE_IF_COMPILED(extern "C" int solve_enqueue(const float* A, int64_t lda, const float* B, int64_t ldb, float* C,
                                               int64_t ldc, int M, int N, int K, float alpha, float beta,
                                               void* stream) {
    return rung_54::enqueue(A, lda, B, ldb, C, ldc, M, N, K, alpha, beta, stream);
})
