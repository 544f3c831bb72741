// The sums of the rows and columns of C that no tile has (edge_lines.h), of what the packing has left for each 64 n:
// by idle warps of the kernel that multiplies, or by a kernel beside it.
#pragma once

#include <algorithm>

#include "compensated_sum.h"
#include "split_job.h"

namespace ladder {

// An element of an edge, of which the columns come first: where it is in C, what the packing has left of it for the
// first step, and how far behind that the next step's is.
struct EdgeElement {
    int row, col;
    const float* parts;
    int stride;

    __device__ __forceinline__ EdgeElement(const SplitJob& job, int edge, int element) {
        const int2 count = job.edges.count;
        const int rows = job.rows(), cols = job.cols(), all_rows = rows + count.x;
        const bool is_col = edge < count.y;
        row = is_col ? element : rows + edge - count.y, col = is_col ? cols + edge : element;
        stride = is_col ? all_rows : cols;
        const int64_t before =
            is_col ? int64_t{edge} * all_rows : int64_t{count.y} * all_rows + int64_t{edge - count.y} * cols;
        parts = job.edges.parts + before * job.steps() + element;
    }
};

// How many elements there are of a column, with the corner, and of a row, in groups of 32.
__host__ __device__ inline int2 groups_of_edge(const SplitJob& job) {
    return make_int2(ceil_div(job.operands.a.count + job.edges.count.x, 32), ceil_div(job.operands.b.count, 32));
}

// In the kernel that multiplies, by the warps from thread kFirst on, which are idle otherwise: a group of elements a
// warp. As fast as a kernel beside it, and one launch less.
template <int kFirst, int kThreads>
__device__ __forceinline__ void add_edges_in_product(const SplitJob& job) {
    constexpr int kWarps = (kThreads - kFirst) / 32;
    const int2 per_edge = groups_of_edge(job);
    const int of_cols = per_edge.x * job.edges.count.y, groups = of_cols + per_edge.y * job.edges.count.x;
#pragma unroll 1
    for (int group = blockIdx.x * kWarps + (threadIdx.x - kFirst) / 32; group < groups; group += gridDim.x * kWarps) {
        const bool is_col = group < of_cols;
        const int own = group - (is_col ? 0 : of_cols), per = is_col ? per_edge.x : per_edge.y, edge = own / per;
        const int at = own % per * 32 + threadIdx.x % 32;
        const EdgeElement element(job, edge + (is_col ? 0 : job.edges.count.y), at);
        if (at >= element.stride) continue;
        CompensatedSum sum;
        const float* from = element.parts;
#pragma unroll 8
        for (int step = 0; step < job.steps(); ++step, from += element.stride) sum.add(__ldcg(from));
        job.epilogue.store(&job.start_of_c()[element.row * job.ldc + element.col], sum.rounded());
    }
}

// Stores these rows and columns. Grid: blocks of 32 elements by edges, the columns first. It is enqueued behind the
// kernel that multiplies, and works while that does, on SMs that have no tile left: it may, since that kernel lets it
// start once the packing has ended. One warp waits for that kernel, so that whatever comes then waits for both.
static __global__ void __launch_bounds__(256) add_edges(SplitJob job) {
    constexpr int kSlices = 8;  // of the parts
    __shared__ float sums[kSlices][32];
    let_next_kernel_start();
    const int lane = threadIdx.x % 32, slice = threadIdx.x / 32, at = blockIdx.x * 32 + lane;
    const EdgeElement element(job, blockIdx.y, at);
    const bool is_inside = at < element.stride;
    CompensatedSum sum;
#pragma unroll 8
    for (int step = slice; step < job.steps(); step += kSlices) {
        if (is_inside) sum.add(__ldcg(element.parts + int64_t{step} * element.stride));
    }
    sums[slice][lane] = sum.rounded();
    __syncthreads();
    if (slice == 1 && blockIdx.x + blockIdx.y == 0) wait_for_kernel_before();
    if (slice > 0 || !is_inside) return;
#pragma unroll
    for (int i = 1; i < kSlices; ++i) sum.add(sums[i][lane]);
    job.epilogue.store(&job.start_of_c()[element.row * job.ldc + element.col], sum.rounded());
}

inline void enqueue_add_edges(const SplitJob& job) {
    if (!job.edges.any()) return;
    const int2 groups = groups_of_edge(job);
    const int2 edges = job.edges.count;
    launch_early(add_edges, dim3(std::max(groups.x, groups.y), edges.x + edges.y), 256, 0, job.operands.stream, job);
}

}  // namespace ladder
