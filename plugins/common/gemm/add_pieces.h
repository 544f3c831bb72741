// The second kernel of a product whose N was cut among blocks: it adds what each piece of N came to. The pieces lie one
// after the other, each as large as C and dense. Always in the same order, so that every run gives the same bits.
//
// A thread has 8 numbers under way, since each comes from L2 and takes longer than all the rest.
#pragma once

#include "../export/gemm.h"
#include "../ptx/early_launch.h"
#include "epilogue.h"

namespace ladder {

constexpr int kAdders = 8;  // warps of a block, which has 32 elements of C

static __global__ void __launch_bounds__(32 * kAdders)
    add_pieces_kernel(const float* pieces, int elements, int count, float* C, int64_t ldc, int K, Epilogue epilogue) {
    let_next_kernel_start();
    wait_for_kernel_before();
    __shared__ float sums[kAdders][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, at = blockIdx.x * 32 + lane;
    float sum = 0.0f;
    for (int first = warp; first < count && at < elements; first += 8 * kAdders) {
        float piece[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const int from = first + i * kAdders;
            piece[i] = from < count ? pieces[int64_t{from} * elements + at] : 0.0f;
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) sum += piece[i];
    }
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || at >= elements) return;
    for (int other = 1; other < kAdders; ++other) sum += sums[other][lane];
    epilogue.store(&C[at / K * ldc + at % K], sum);
}

// gemm.C = gemm.epilogue of the sum of `count` pieces; C has fewer than 2^31 elements.
inline void add_pieces(const float* pieces, int count, const Gemm& gemm) {
    const int elements = gemm.M * gemm.K;
    launch_early(add_pieces_kernel, dim3(ceil_div(elements, 32)), 32 * kAdders, 0, gemm.stream, pieces, elements, count,
                 gemm.C, gemm.ldc, gemm.K, Epilogue{gemm.alpha, gemm.beta});
}

}  // namespace ladder
