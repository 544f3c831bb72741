// A product whose N is cut among blocks, split-K: each piece of N is summed to a C of its own in workspace, one dense
// matrix after the other, and a second kernel adds them. Always in the same order, so that every run gives the same
// bits.
//
// Of the second kernel a thread has 8 numbers in flight, since each comes from L2 and takes longer than all the rest.
#pragma once

#include "../export/gemm.h"
#include "../export/workspace.h"
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

// What a kernel computes instead of the product `whole`: `count` pieces of `depth` n each, the last one of what is
// there. If there is one piece, or no workspace to be had, that is the product itself. C has fewer than 2^31 elements.
class Pieces {
  public:
    Pieces(const Gemm& whole, int count, int depth)
        : whole_(whole), workspace_(count > 1 ? sizeof(float) * stride() * count : 0, whole.stream, whole.workspace) {
        if (workspace_.data()) count_ = count, depth_ = depth;
    }

    int count() const { return count_; }
    int depth() const { return depth_; }
    int64_t stride() const { return int64_t{whole_.M} * whole_.K; }  // floats from one piece of C to the next

    // The product with the first piece of C for C; N is still the whole one.
    Gemm part() const {
        Gemm part = whole_;
        if (count_ > 1) part.C = workspace_.data(), part.ldc = part.K, part.alpha = 1.0f, part.beta = 0.0f;
        return part;
    }

    // whole.C = alpha times the sum of the pieces + beta * whole.C, after the kernel; nothing if there is one piece.
    void add() const {
        if (count_ == 1) return;
        const int elements = whole_.M * whole_.K;
        launch_early(add_pieces_kernel, dim3(ceil_div(elements, 32)), 32 * kAdders, 0, whole_.stream, workspace_.data(),
                     elements, count_, whole_.C, whole_.ldc, whole_.K, Epilogue{whole_.alpha, whole_.beta});
    }

  private:
    const Gemm whole_;
    const Workspace workspace_;
    int count_ = 1, depth_ = whole_.N;
};

}  // namespace ladder
