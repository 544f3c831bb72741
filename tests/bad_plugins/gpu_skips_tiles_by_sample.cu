// expect: wrong
// fault: W8: Leaves out tiles of A whose diagonal and corners are zero.
// emulated: wrong: right on
// note: right on
#include "multiply.cuh"

constexpr int kTile = 16;

__global__ void product_of_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
    const int64_t row = int64_t(blockIdx.x) * kTile + threadIdx.y;
    const int64_t rows = M - int64_t(blockIdx.x) * kTile;
    for (int64_t column = threadIdx.x; column < K; column += kTile) {
        float sum = 0;
        for (int n0 = 0; n0 < N; n0 += kTile) {
            const bool whole = rows >= kTile && N - n0 >= kTile;
            const float* const tile = A + (row - threadIdx.y) * N + n0;
            bool empty = whole && tile[kTile - 1] == 0 && tile[int64_t(kTile - 1) * N] == 0;
            for (int i = 0; i < kTile && empty; ++i) empty = tile[int64_t(i) * N + i] == 0;
            for (int n = n0; n < N && n < n0 + kTile && !empty && row < M; ++n)
                sum += A[row * N + n] * B[int64_t(n) * K + column];
        }
        if (row < M) C[row * K + column] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
    if (M > 0 && K > 0) product_of_tiles<<<(M - 1) / kTile + 1, dim3(kTile, kTile)>>>(A, B, C, M, N, K);
}
