// The launches of a product whose operands are copied box by box.
#pragma once

#include <algorithm>

#include "../export/allow_shared.h"
#include "../ptx/box_copy.h"
#include "../ptx/cluster.h"
#include "aligned_operand.h"
#include "box_job.h"

namespace ladder {

using BoxKernel = void (*)(BoxSource a, BoxSource b, BoxJob job);

// A kernel for all of a product, how it is launched, and the cycles that it is expected to take.
struct BoxWay {
    double cycles;
    BoxKernel kernel;
    int clusters, blocks;  // at a time, and of a cluster
    int threads, shared;   // of a block, and bytes
    int box_rows_a;        // of A's boxes; B's have kBoxCols
};

// T is a tile as box_job.h says, with kThreads and Shared. A step, kBoxCols n, takes a tenth longer than the tensor
// cores need and 150 cycles, or as long as L2 needs for the tiles that are computed at a time; a tile is stored, too.
// Measured on an H100, 512 to 8192: 340 cycles with 64 x 64, 410 to 510 with 64 x 128, 610 to 690 with 128 x 128, 1290
// with 256 x 128. 5000 bytes of L2 a cycle is what pairs of 256 x 128 gain at 8192; 64 x 64 gets 6300 at 1024.
template <class T>
BoxWay way_of(const solve_gemm_t& call, BoxKernel kernel) {
    constexpr double kOfTensorCores = 1024 / 1.1;   // multiply-adds a cycle and SM
    constexpr double kBesides = 150, kOfL2 = 5000;  // cycles; bytes a cycle for all SMs
    const int clusters = clusters_of<T>(call.M, call.K), at_a_time = std::max(1, sm_count() / T::kBlocks);
    const int active = std::min(clusters, at_a_time);
    const double bytes = sizeof(float) * kBoxCols * (T::kRows + T::kBlocks * T::kCols) * active;
    const double step = std::max(kBoxCols * T::kRows * T::kCols / kOfTensorCores + kBesides, bytes / kOfL2);
    const double tile = ceil_div(call.N, kBoxCols) * step + T::kRows * T::kCols / 16.0;
    return {ceil_div(clusters, at_a_time) * tile,
            kernel,
            active,
            T::kBlocks,
            T::kThreads,
            sizeof(typename T::Shared),
            T::kRows / T::kBlocks};
}

// Product i of a call, of operands that lie as they must: its code.
inline int enqueue_boxes(const solve_gemm_t& call, int i, const Lines& a, const Lines& b, const BoxWay& way) {
    BoxSource source_a, source_b;
    if (!source_a.describe(a.data, a.of_line, call.M, call.N, way.box_rows_a) ||
        !source_b.describe(b.data, b.of_n, call.N, call.K, kBoxCols)) {
        return fail("the driver describes no such operand for TMA"), SOLVE_UNSUPPORTED;
    }
    const BoxJob job{call.C + i * call.stride_c,
                     call.C_array ? call.C_array + i : nullptr,
                     call.ldc,
                     call.M,
                     call.N,
                     call.K,
                     {call.alpha, call.beta},
                     vector_operand(call.C, call.C_array, call.ldc, call.stride_c, call.K)};
    const auto stream = static_cast<cudaStream_t>(call.stream);
    allow_shared(way.kernel, way.shared);
    if (way.blocks > 1) {
        launch_clusters(way.kernel, way.clusters, way.blocks, way.threads, way.shared, stream, source_a, source_b, job);
    } else {
        launch_early(way.kernel, dim3(way.clusters), way.threads, way.shared, stream, source_a, source_b, job);
    }
    return SOLVE_OK;
}

// All products of a call, with what must be done before, by the way of these that is expected to be the fastest.
inline int enqueue_boxes(const solve_gemm_t& given, std::initializer_list<BoxWay> ways) {
    if (!supports_wgmma()) return SOLVE_UNSUPPORTED;
    const solve_gemm_t call = with_bias_added(given);
    const BoxWay way = std::min(ways, [](const BoxWay& x, const BoxWay& y) { return x.cycles < y.cycles; });
    return for_each_aligned(call,
                            [&](int i, const Lines& a, const Lines& b) { return enqueue_boxes(call, i, a, b, way); });
}

}  // namespace ladder
