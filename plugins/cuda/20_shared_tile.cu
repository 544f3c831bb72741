// A block fetches a square tile of A and one of B into shared memory, and its threads read them from there.
//
// Against 10: a word of A that the block needs is fetched from global memory once, not by each of the threads that
// use it. With tiles of 32 x 32 every fetched word serves 32 multiply-adds. The block walks along N one tile at a
// time, with two barriers a step: the first so that nobody reads a tile before it is full, the second so that nobody
// overwrites it while others still read.
//
// T = 32, not 16: half the global traffic, and a warp is then exactly one row of the tile, so its read of A is one
// word for all (broadcast) and its read of B is 32 consecutive words, one in each of the 32 banks. The price is 1024
// threads per block: an H100 holds two such blocks per SM, a T4 one, where a barrier then idles the whole SM.
//
// Limit: shared memory. For four steps of n a warp issues 4 reads of B (one cycle each) and one 128-bit read of A
// (nvcc merges four) for 4 FFMA, and the SM takes one read a cycle but four FFMA: at best a fifth of the FP32 peak.
// Source: NB 2, FT v2 (which multiplies A by A), OK V1, CS v2; those without checks at the edges are right for
// multiples of T only.
#include "../common/export/launch.h"

namespace rung_20 {

constexpr int kTile = 32;  // T

static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads, and one thread fills one element of each tile");

__global__ void __launch_bounds__(kTile* kTile)
    shared_tile(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile];

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y;
    const int col = blockIdx.x * kTile + x;
    const float* a = A + size_t(row) * N + x;  // this thread's element of the tile: (row, x), then (row, x + T), ...
    const float* b = B + size_t(y) * K + col;  //                                    (y, col), then (y + T, col), ...

    float sum = 0.0f;
    for (int left = N; left > 0; left -= kTile) {
        // Past an edge both tiles hold 0: with garbage in one of them, 0 * Inf would put NaN into the sum.
        tile_a[y][x] = row < M && x < left ? *a : 0.0f;
        tile_b[y][x] = y < left && col < K ? *b : 0.0f;
        __syncthreads();
#pragma unroll
        for (int n = 0; n < kTile; ++n) sum += tile_a[y][n] * tile_b[n][x];
        __syncthreads();
        a += kTile;
        b += size_t(kTile) * K;
    }
    if (row < M && col < K) C[size_t(row) * K + col] = sum;
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 block(kTile, kTile);
    ladder::for_each_slab(M, kTile, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTile), ladder::ceil_div(rows, kTile));
        shared_tile<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_20

SOLVE_EXPORT(rung_20::multiply, .summary = "32x32 tiles in shared memory", .source = "NB 2, FT v2, OK V1, CS v2")
