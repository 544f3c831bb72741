// The end of a tile of C of which the blocks of a cluster have different n, and perhaps slices of each block: their
// partial sums are added, always in the same order, and each block stores a share of the rows.
#pragma once

#include "../ptx/cluster.h"
#include "split_job.h"

namespace ladder {

// T is the tile, kRows x kCols of C, of which the shared memory of each block has sums[kSlices][kRows][...]; kSize is
// the number of blocks. A thread has some eight groups of four sums in flight, since those of other blocks take some
// 300 cycles.
template <class T, int kSize>
__device__ __forceinline__ void store_share(const SplitJob& job, int2 corner, typename T::Shared& shared,
                                            const Cluster& cluster) {
    constexpr int kParts = kSize * T::kSlices, kBatch = kParts > 8 ? 1 : kParts > 1 ? 8 / kParts : 4;
    constexpr int kShare = T::kRows / kSize, kGroups = T::kCols / 4;
    float* const C = job.slot_of_c ? *job.slot_of_c : job.C;
    const int first_row = kSize > 1 ? cluster.rank() * kShare : 0;
    for (int first = threadIdx.x; first < kShare * kGroups; first += kBatch * T::kThreads) {
        alignas(16) float four[kBatch][kSize][T::kSlices][4];
        const auto for_each_group = [&](auto visit) {
#pragma unroll
            for (int j = 0; j < kBatch; ++j) {
                const int i = first + j * T::kThreads;
                if (i < kShare * kGroups) visit(four[j], first_row + i / kGroups, i % kGroups * 4);
            }
        };
        for_each_group([&](auto& group, int row, int col) {
#pragma unroll
            for (int s = 0; s < kParts; ++s) {
                const float* const own = &shared.sums[s % T::kSlices][row][col];
                copy4(group[s / T::kSlices][s % T::kSlices], kSize > 1 ? cluster.of_rank(own, s / T::kSlices) : own);
            }
        });
        for_each_group([&](auto& group, int row, int col) {
            alignas(16) float total[4] = {};
#pragma unroll
            for (int s = 0; s < kParts; ++s) add4(total, group[s / T::kSlices][s % T::kSlices]);
            if (corner.x + row >= job.rows()) return;
            float* const c = C + (corner.x + row) * job.ldc + corner.y + col;
            job.epilogue.store_groups<4>(c, total, col, job.cols() - corner.y, job.vector_c);
        });
    }
}

// The same where the number of blocks is known when the kernel runs: 1, 2, 4 or 8.
template <class T>
__device__ __forceinline__ void store_share(const SplitJob& job, int2 corner, typename T::Shared& shared,
                                            const Cluster& cluster, int size) {
    if (size == 1) store_share<T, 1>(job, corner, shared, cluster);
    if (size == 2) store_share<T, 2>(job, corner, shared, cluster);
    if (size == 4) store_share<T, 4>(job, corner, shared, cluster);
    if (size == 8) store_share<T, 8>(job, corner, shared, cluster);
}

}  // namespace ladder
