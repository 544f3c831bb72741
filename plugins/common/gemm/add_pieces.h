// A product whose N is cut among blocks, split-K: each piece of N is summed to a C of its own in workspace, one matrix
// after the other, and a second kernel, the reduction, adds them. Rows of a piece begin at multiples of 16 bytes,
// whatever those of C do.
#pragma once

#include <algorithm>
#include <bit>

#include "../export/gemm.h"
#include "../export/workspace.h"
#include "../ptx/early_launch.h"
#include "epilogue.h"
#include "piece_sums.h"

namespace ladder {

// A thread has four neighbours in a row of the pieces, which are `pitch` long.
static __global__ void __launch_bounds__(kAddingThreads)
    add_pieces_kernel(const float* pieces, int pitch, int count, int groups, float* C, int64_t ldc, int M, int K,
                      Epilogue epilogue, bool vector_c) {
    let_next_kernel_start();
    __shared__ alignas(16) float sums[kAddingThreads][4];
    const int threads = kAddingThreads / groups, number = blockIdx.x * threads + threadIdx.x % threads;
    const int quads = pitch / 4, row = number / quads, col = number % quads * 4;
    const float* const from = pieces + int64_t{number} * 4;
    float* const c = C + row * ldc + col;
    const int64_t stride = int64_t{M} * pitch;
    wait_for_kernel_before(bits(from) | bits(c));
    float sum[4] = {};
    const auto load = [&](float* piece, int i) {
        if (row < M) copy4(piece, from + i * stride);
    };
    if (!add_pieces(sum, sums, count, groups, load) || row >= M) return;
    if (vector_c) return epilogue.store4(c, sum);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (col + k < K) epilogue.store(&c[k], sum[k]);
    }
}

// What a kernel computes instead of the product `whole`: `count` pieces of `depth` n each, the last one of what is
// there. If there is one piece, or no workspace to be had, that is the product itself. C has fewer than 2^31 elements.
class Pieces {
  public:
    Pieces(const Gemm& whole, int count, int depth)
        : whole_(whole), workspace_(bytes_of(whole.M, whole.K, count), whole.stream, whole.workspace) {
        if (workspace_.data()) count_ = count, depth_ = depth;
    }

    // The workspace of so many pieces of an M x K matrix, whose rows have a pitch of whole 16 bytes.
    static size_t bytes_of(int M, int K, int count) { return count > 1 ? sizeof(float) * M * pitch_of(K) * count : 0; }

    int count() const { return count_; }
    int depth() const { return depth_; }
    int64_t stride() const { return int64_t{whole_.M} * pitch(); }  // floats from one piece of C to the next

    // The product with the first piece of C for C; N is still the whole one.
    Gemm part() const {
        Gemm part = whole_;
        if (count_ > 1) part.C = workspace_.data(), part.ldc = pitch(), part.alpha = 1.0f, part.beta = 0.0f;
        return part;
    }

    // The same of a call, for a kernel of batches: the pieces are its products.
    solve_gemm_t part_of(const solve_gemm_t& call) const {
        solve_gemm_t part = call;
        if (count_ == 1) return part;
        part.C = workspace_.data(), part.ldc = pitch(), part.alpha = 1.0f, part.beta = 0.0f;
        part.batch = count_, part.stride_a = part.stride_b = 0, part.stride_c = stride();
        return part;
    }

    // whole.C = alpha times the sum of the pieces + beta * whole.C, after the kernel; nothing if there is one piece.
    void add() const {
        if (count_ == 1) return;
        const int groups = std::min(8, static_cast<int>(std::bit_ceil(unsigned(ceil_div(count_, 8)))));
        const int64_t threads = stride() / 4 * groups;
        launch_early(add_pieces_kernel, dim3(static_cast<unsigned>((threads + kAddingThreads - 1) / kAddingThreads)),
                     kAddingThreads, 0, whole_.stream, workspace_.data(), pitch(), count_, groups, whole_.C, whole_.ldc,
                     whole_.M, whole_.K, Epilogue{whole_.alpha, whole_.beta}, whole_.vector_c());
    }

  private:
    static int pitch_of(int K) { return ceil_div(K, 4) * 4; }
    int pitch() const { return pitch_of(whole_.K); }

    const Gemm whole_;
    const Workspace workspace_;
    int count_ = 1, depth_ = whole_.N;
};

}  // namespace ladder
