// One thread per element of C.
//
// Against the CPU's three loops: the two outer ones become the grid, the inner one stays. Neighbouring threads
// (threadIdx.x) take neighbouring columns, so a warp's loads of B and its stores to C are coalesced, and its load of
// A is one word for all threads of a row (a broadcast).
//
// Limit: every multiply-add needs two loads, so the load units and the L1 cache set the pace, not the FP32 units.
// Source: NB 1, FT v1 (which multiplies A by A), OK, CS v0.
#include "../common/export/launch.h"

namespace rung_10 {

constexpr int kTile = 16;

static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");

__global__ void naive(const float* A, const float* B, float* C, int M, int N, int K) {
    const int row = blockIdx.y * kTile + threadIdx.y;
    const int col = blockIdx.x * kTile + threadIdx.x;
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
        naive<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_10

SOLVE_EXPORT(rung_10::multiply, .summary = "one thread per element of C", .source = "NB 1, FT v1, OK, CS v0")
