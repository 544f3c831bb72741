// 10 with rows and columns exchanged among the threads: what bad coalescing costs.
//
// Against 10: threadIdx.x counts rows, threadIdx.y columns. A warp is then 16 rows by 2 columns of C. For one n it
// touches 16 sectors of A, whose rows have a stride of 4 N bytes, and 1 of B: 17, where in 10 it touches 2 of A and 2
// of B. Its stores to C touch 16 sectors instead of 4. A sector of A does hold the next seven n too, if the L1 cache
// keeps it that long.
//
// Limit: the L1 cache, which answers a request for 16 sectors in 16 different lines one line after another.
// Source: FT v1, which multiplies A by A.
#include "../common/export/launch.h"

namespace rung_12 {

constexpr int kTile = 16;

static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");

__global__ void naive_uncoalesced(const float* A, const float* B, float* C, int M, int N, int K) {
    const int row = blockIdx.y * kTile + threadIdx.x;
    const int col = blockIdx.x * kTile + threadIdx.y;
    if (row >= M || col >= K) return;

    const float* a = A + size_t(row) * N;  // 64 bits: row * N may pass 2^31
    const float* b = B + col;
    float sum = 0.0f;
    for (int n = 0; n < N; ++n, b += K) sum += a[n] * *b;
    C[size_t(row) * K + col] = sum;
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const dim3 block(kTile, kTile);
    ladder::for_each_slab(M, kTile, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTile), ladder::ceil_div(rows, kTile));
        naive_uncoalesced<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_12

SOLVE_EXPORT(rung_12::multiply, .summary = "10 with neighbouring threads on neighbouring rows", .source = "FT v1")
