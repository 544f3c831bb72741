// The sums of the rows and columns of C that no tile has (edge_lines.h), of what the packing has left for each 64 n.
#pragma once

#include <algorithm>

#include "split_job.h"

namespace ladder {

// Stores these rows and columns. Grid: blocks of 32 elements by edges, the columns first. It is enqueued behind the
// kernel that multiplies, and works while that does, on SMs that have no tile left: it may, since that kernel lets it
// start once the packing has ended. One warp waits for that kernel, so that whatever comes then waits for both.
// In the kernel that multiplies, by warps that have nothing else to do there, this would cost other products 2 %.
static __global__ void __launch_bounds__(256) add_edges(SplitJob job) {
    constexpr int kSlices = 8;  // of the parts
    __shared__ float sums[kSlices][32];
    let_next_kernel_start();
    const EdgeLines& edges = job.edges;
    const int rows = job.rows(), cols = job.cols(), steps = ceil_div(job.operands.N, kPackedDepth);
    const int lane = threadIdx.x % 32, slice = threadIdx.x / 32, element = blockIdx.x * 32 + lane;
    const bool is_col = int(blockIdx.y) < edges.count.y;
    const int edge = blockIdx.y - (is_col ? 0 : edges.count.y), all_rows = rows + edges.count.x;
    const int count = is_col ? all_rows : cols;
    const float* const parts = edges.parts + (is_col ? 0 : int64_t{edges.count.y} * steps * all_rows);
    const float* const from = parts + int64_t{edge} * steps * count + min(element, count - 1);
    float sum = 0.0f;
#pragma unroll 8
    for (int step = slice; step < steps; step += kSlices) sum += __ldcg(from + int64_t{step} * count);
    sums[slice][lane] = sum;
    __syncthreads();
    if (blockIdx.x + blockIdx.y + slice == 0) wait_for_kernel_before();
    if (slice > 0 || element >= count) return;
#pragma unroll
    for (int i = 1; i < kSlices; ++i) sum += sums[i][lane];
    const int row = is_col ? element : rows + edge, col = is_col ? cols + edge : element;
    job.epilogue.store(&job.start_of_c()[row * job.ldc + col], sum);
}

inline void enqueue_add_edges(const SplitJob& job) {
    const SplitOperands& operands = job.operands;
    const int2 edges = job.edges.count;
    const dim3 blocks(ceil_div(std::max(operands.a.count + edges.x, operands.b.count), 32), edges.x + edges.y);
    if (job.edges.any()) launch_early(add_edges, blocks, 256, 0, operands.stream, job);
}

}  // namespace ladder
