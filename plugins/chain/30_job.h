// What the kernel of 30_chain_tf32.cu is told, and what becomes of a thread's sums.
#pragma once

#include "../common/gemm/epilogue.h"
#include "30_products.h"

namespace chain_30 {

struct Matrix {
    const float* data;
    int64_t ld;
};

// D = A * B and E = D * C.
struct Job {
    int M, N, K, L;
    Matrix A, B, C;
    float *D, *E;
    int pitch;  // of D, which has room for whole tiles
    int64_t lde;
    uint64_t* marks;  // of each row of tiles kMarks
    int tiles;        // in a row of D or E, whichever has more
    ladder::Epilogue epilogue;
    bool vector_e;  // E's pairs of neighbours are aligned
};

// A thread's eight pairs of sums, of which the first is at (row, col) of D or E: of rows row, + 1, + 8, + 9, + 16, ...
using Sums = float[kOwnWords];
constexpr __device__ int row_of(int i) {
    return i / 4 * 8 + i % 2;
}
constexpr __device__ int col_of(int i) {
    return i / 2 % 2;
}

// Computes those that are not finite again in FP32, from memory; past the last row and column they become 0.
__device__ __forceinline__ void compute_again(const Job& job, bool is_d, int row, int col, Sums& sum) {
    float zero = 0.0f;  // or NaN
#pragma unroll
    for (int i = 0; i < kOwnWords; ++i) zero = fmaf(sum[i], 0.0f, zero);
    if (zero == 0.0f) return;
    const Matrix left = is_d ? job.A : Matrix{job.D, job.pitch}, right = is_d ? job.B : job.C;
    const int cols = is_d ? job.K : job.L, terms = is_d ? job.N : job.K;
#pragma unroll 1
    for (int i = 0; i < kOwnWords; ++i) {
        const int r = row + row_of(i), c = col + col_of(i);
        float again = 0.0f;
        for (int n = 0; n < terms && r < job.M && c < cols; ++n) {
            again = fmaf(__ldcg(left.data + r * left.ld + n), right.data[n * right.ld + c], again);
        }
#pragma unroll
        for (int j = 0; j < kOwnWords; ++j) sum[j] = i == j && !isfinite(sum[j]) ? again : sum[j];
    }
}

__device__ __forceinline__ void store_pairs(float* to, int64_t ld, float alpha, const Sums& sum) {
#pragma unroll
    for (int i = 0; i < kOwnWords; i += 4) {
#pragma unroll
        for (int q = 0; q < 2; ++q) {
            const float2 pair = make_float2(alpha * sum[i + q], alpha * sum[i + 2 + q]);
            *reinterpret_cast<float2*>(to + row_of(i + q) * ld) = pair;
        }
    }
}

__device__ __forceinline__ void store_d(const Job& job, int row, int col, const Sums& sum) {
    store_pairs(job.D + row * job.pitch + col, job.pitch, 1.0f, sum);
}

__device__ __forceinline__ void store_e(const Job& job, int row, int col, const Sums& sum) {
    float* const to = job.E + row * job.lde + col;
    if (job.vector_e && job.epilogue.beta == 0.0f && row + row_of(kOwnWords - 1) < job.M && col < job.L) {
        return store_pairs(to, job.lde, job.epilogue.alpha, sum);
    }
#pragma unroll
    for (int i = 0; i < kOwnWords; ++i) {
        if (row + row_of(i) >= job.M || col + col_of(i) >= job.L) continue;
        job.epilogue.store(to + row_of(i) * job.lde + col_of(i), sum[i]);
    }
}

}  // namespace chain_30
