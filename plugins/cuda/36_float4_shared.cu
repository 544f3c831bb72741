// B's words are read from shared memory four at a time, and the steps along N are four times as long.
//
// Against 34: the 128-bit read of B is written out (there nvcc finds it by itself), and tiles of 64 x 64 fill 32 KB,
// so that the two barriers come once in 64 n, not in 16. The price: two blocks per SM at most on a T4. A's rows have
// a stride of 64 words, so a warp's two y are in the same banks; but a 128-bit read (four n at once) goes by half
// warps, one y each, and the counters show no conflict.
//
// Limit: shared memory. For one n a lane receives 4 words of A and 4 of B, 8 cycles a warp, for 4 of FFMA.
// Source: CS v6, for sizes that its tiles divide.
#include "../common/gemm/tile.h"

namespace rung_36 {

constexpr int kTileM = 64;
constexpr int kTileK = 64;
constexpr int kTileN = 64;
constexpr int kPerThread = 4;  // rows and columns of C per thread
constexpr int kThreadsX = kTileK / kPerThread;
constexpr int kThreadsY = kTileM / kPerThread;
constexpr int kThreads = kThreadsX * kThreadsY;

static_assert(kThreads == 256, "TilePart gives each thread 4096 / 256 = 16 floats of each tile: four 128-bit loads");

template <bool kVectorA, bool kVectorB>
__global__ void __launch_bounds__(kThreads)
    float4_shared(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ alignas(16) float tile_a[kTileM][kTileN];
    __shared__ alignas(16) float tile_b[kTileN][kTileK];

    const int tile_row = blockIdx.y * kTileM, tile_col = blockIdx.x * kTileK;
    const int rows = M - tile_row, cols = K - tile_col;  // of C from the tile's corner on

    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    ladder::TilePart<kTileM, kTileN, kThreads, kVectorA> part_a(thread, A + size_t(tile_row) * N, N);
    ladder::TilePart<kTileN, kTileK, kThreads, kVectorB> part_b(thread, B + tile_col, K);

    const int x = kPerThread * threadIdx.x, y = threadIdx.y;

    float sum[kPerThread][kPerThread] = {};
    for (int left = N; left > 0; left -= kTileN) {
        part_a.fetch(rows, left, kTileN);
        part_b.fetch(left, cols, size_t(kTileN) * K);
#pragma unroll
        for (int i = 0; i < part_a.kCount; ++i) tile_a[part_a.row(i)][part_a.col(i)] = part_a.value[i];
#pragma unroll
        for (int i = 0; i < part_b.kCount; ++i) tile_b[part_b.row(i)][part_b.col(i)] = part_b.value[i];
        __syncthreads();
#pragma unroll
        for (int n = 0; n < kTileN; ++n) {
            alignas(16) float a[kPerThread], b[kPerThread];
#pragma unroll
            for (int i = 0; i < kPerThread; ++i) a[i] = tile_a[y + i * kThreadsY][n];
            ladder::copy4(b, &tile_b[n][x]);
#pragma unroll
            for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
                for (int j = 0; j < kPerThread; ++j) sum[i][j] += a[i] * b[j];
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) {
            const int row = y + i * kThreadsY, col = x + j;
            if (row < rows && col < cols) C[size_t(tile_row + row) * K + tile_col + col] = sum[i][j];
        }
    }
}

inline void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
    const bool vector_a = ladder::aligned16(A, N), vector_b = ladder::aligned16(B, K);
    const auto kernel = vector_a ? (vector_b ? float4_shared<true, true> : float4_shared<true, false>)
                                 : (vector_b ? float4_shared<false, true> : float4_shared<false, false>);
    const dim3 block(kThreadsX, kThreadsY);
    ladder::for_each_slab(M, kTileM, [&](size_t row, int rows) {
        const dim3 grid(ladder::ceil_div(K, kTileK), ladder::ceil_div(rows, kTileM));
        kernel<<<grid, block>>>(A + row * N, B, C + row * K, rows, N, K);
    });
}

}  // namespace rung_36

SOLVE_EXPORT(rung_36::multiply, .summary = "34 with B read as float4 and 64x64x64 tiles", .source = "CS v6")
