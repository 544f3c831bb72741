// Launches of kernels for batches whose products are the pieces of N of one product (add_pieces.h).
//
// Clusters of blocks lie where a GPC has room for them, two on one SM and none on another. Pieces have no such bounds,
// but need a second kernel, some 2 us. 51 tiles of 6470 x 8136 x 30 (TN) in clusters of 6 take 110 us, in 5 pieces 88.
#pragma once

#include "add_pieces.h"
#include "cluster_launch.h"
#include "tile_plan.h"

namespace ladder {

// What a product asks of such a kernel, and of the one that adds (cluster_work.h).
template <class T>
Work pieces_work(solve_gemm_t call, Vectors vectors, int pieces, const DeviceFigures& device) {
    const double sums = 4e-3 * call.M * call.K * pieces / device.sms;
    call.N = ceil_div(ceil_div(call.N, T::kN), pieces) * T::kN, call.batch = pieces;
    vectors.c = true;
    Work work = clusters_work<T>(call, vectors, 1, ClusterRoom(), device);
    work.parts = 1, work.of_parts = sums;
    return work;
}

// Enqueues a call without a bias. The kernel's last arguments are the n of a piece, and whether C can be written 16
// bytes at a time.
template <class T>
void launch_pieces(void (*kernel)(solve_gemm_t, int, int, int64_t, int, bool), const solve_gemm_t& call, int count) {
    const Pieces pieces(plain_gemm(call), count, depth_of_pieces<T>(call.N, count));
    const bool vector_c = pieces.count() > 1 || Vectors(call).c;
    launch_tiles<T, true>(kernel, pieces.part_of(call), 1, pieces.depth(), vector_c);
    pieces.add();
}

// Calls visit(pieces, work) for each number of pieces that is worth a thought: one block per SM, two, to as many as
// there are registers for, of four steps of N at least. None for batches.
template <class T, class Visit>
void for_each_cut(const solve_gemm_t& call, const Vectors& vectors, const DeviceFigures& device, Visit visit) {
    if (call.batch != 1 || has_arrays(call)) return;
    const double tiles = tiles_of_call(call, T::kM, T::kK);
    const int steps = ceil_div(call.N, T::kN);
    for (int blocks = 1, before = 1; blocks <= T::kResident; ++blocks) {
        const int wanted = std::min(static_cast<int>(device.sms * blocks / tiles), steps / 4);
        const int pieces = wanted > 1 ? ceil_div(steps, ceil_div(steps, wanted)) : 1;  // none without a step
        if (pieces > before) visit(pieces, pieces_work<T>(call, vectors, pieces, device));
        before = std::max(before, pieces);
    }
}

}  // namespace ladder
