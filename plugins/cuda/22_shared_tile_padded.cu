// The shared tile with B's tile padded by one column, to 33 words a row. No speed-up is expected.
//
// Against 20: one "+ 1". Shared memory has 32 banks, word w in bank w % 32, and serves a warp's read in one cycle if
// no two of its different words share a bank. Padding mends reads down a column: with 32 words a row the words of a
// column are all in one bank (32 cycles), with 33 they are in 32 different ones. But no warp here reads down a
// column. A warp is one y and all 32 x, so it reads tile_b[n][0..31], 32 consecutive words: banks 0 to 31 without the
// padding, banks n % 32 to (n + 31) % 32 with it, one cycle either way. The same holds when the tile is filled.
//
// Limit: as for 20. NB claims that the padding removes conflicts; its own times are equal within 2 % (184 and 181 ms
// at 4096 on a T4). The counters agree: of 6.6 million wavefronts at 512 on an H200, 0.5 % are conflicts in 20 and
// 0.6 % here (host/results/h200_counters.md).
// Source: NB 3.
#include "../common/export/launch.h"

namespace rung_22 {

constexpr int kTile = 32;  // T

static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads, and one thread fills one element of each tile");

__global__ void __launch_bounds__(kTile* kTile)
    shared_tile_padded(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile + 1];

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
        shared_tile_padded<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_22

SOLVE_EXPORT(rung_22::multiply, .summary = "20 with B's tile padded by one column", .source = "NB 3")
