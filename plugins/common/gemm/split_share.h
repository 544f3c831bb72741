// The end of a tile of C of which the blocks of a cluster have different n, and perhaps slices of each block: their
// partial sums are added, always in the same order, and each block stores a share of the rows.
#pragma once

#include "../ptx/cluster.h"
#include "compensated_sum.h"
#include "split_job.h"

namespace ladder {

// The sums of kCount groups of four, by CompensatedSum if is_compensated.
template <int kCount>
__device__ __forceinline__ void sum_groups(float (&total)[4], const float (&groups)[kCount][4], bool is_compensated) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        if (is_compensated) {
            CompensatedSum sum{groups[0][q]};
#pragma unroll
            for (int s = 1; s < kCount; ++s) sum.add(groups[s][q]);
            total[q] = sum.rounded();
        } else {
            total[q] = 0.0f;
#pragma unroll
            for (int s = 0; s < kCount; ++s) total[q] += groups[s][q];
        }
    }
}

// T is the tile, kRows x kCols of C, of which the shared memory of each block has sums[kSlices][kRows][...]; kSize is
// the number of blocks. A thread has some eight groups of four sums in flight, since those of other blocks take some
// 300 cycles.
template <class T, int kSize>
__device__ __forceinline__ void store_share(const SplitJob& job, int2 corner, typename T::Shared& shared,
                                            const Cluster& cluster, bool is_compensated) {
    constexpr int kParts = kSize * T::kSlices, kBatch = kParts > 8 ? 1 : kParts > 1 ? 8 / kParts : 4;
    constexpr int kShare = T::kRows / kSize, kGroups = T::kCols / 4;
    float* const C = job.start_of_c();
    const int first_row = kSize > 1 ? cluster.rank() * kShare : 0;
    for (int first = threadIdx.x; first < kShare * kGroups; first += kBatch * T::kThreads) {
        alignas(16) float four[kBatch][kParts][4];
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
                copy4(group[s], kSize > 1 ? cluster.of_rank(own, s / T::kSlices) : own);
            }
        });
        for_each_group([&](auto& group, int row, int col) {
            alignas(16) float total[4];
            sum_groups(total, group, is_compensated);
            if (corner.x + row >= job.rows()) return;
            float* const c = C + (corner.x + row) * job.ldc + corner.y + col;
            job.epilogue.store_groups<4>(c, total, col, job.cols() - corner.y, job.vector_c);
        });
    }
}

// The same where the number of blocks is known when the kernel runs: 1, 2, 4 or 8.
template <class T>
__device__ __forceinline__ void store_share(const SplitJob& job, int2 corner, typename T::Shared& shared,
                                            const Cluster& cluster, int size, bool is_compensated) {
    if (size == 1) store_share<T, 1>(job, corner, shared, cluster, is_compensated);
    if (size == 2) store_share<T, 2>(job, corner, shared, cluster, is_compensated);
    if (size == 4) store_share<T, 4>(job, corner, shared, cluster, is_compensated);
    if (size == 8) store_share<T, 8>(job, corner, shared, cluster, is_compensated);
}

// The same where blocks send each other what they have: each adds its own slices first, so that of 64 x 64 words cut in
// two 8 KB go from block to block, and not 32. Shared has given[kRows][kCols], the others' shares of this block's rows,
// in the order of their ranks, and a barrier `all_given`, to which announce_shares was called.
template <class T>
__device__ __forceinline__ void announce_shares(typename T::Shared& shared, const Cluster& cluster, int size) {
    shared.all_given.init(1);
    cluster.announce(shared.all_given, int{sizeof(shared.given)} / size * (size - 1));
}

template <class T>
__device__ __forceinline__ void send_and_store_share(const SplitJob& job, int2 corner, typename T::Shared& shared,
                                                     Cluster& cluster, int size, bool is_compensated) {
    constexpr int kGroups = T::kCols / 4, kMost = T::kRows * kGroups / T::kThreads;
    const int share = T::kRows / size, rank = size > 1 ? cluster.rank() : 0;
    const auto add_slices = [&](float(&total)[4], int row, int col) {
        alignas(16) float slices[T::kSlices][4];
#pragma unroll
        for (int s = 0; s < T::kSlices; ++s) copy4(slices[s], &shared.sums[s][row][col]);
        sum_groups(total, slices, is_compensated);
    };
    cluster.wait_for_begun();
    for (int i = threadIdx.x; i < (T::kRows - share) * kGroups; i += T::kThreads) {
        const int row = ((rank + 1) * share + i / kGroups) % T::kRows, col = i % kGroups * 4;
        alignas(16) float four[4];
        add_slices(four, row, col);
        cluster.send4(&shared.given[rank * share + row % share][col], four, row / share, shared.all_given);
    }
    alignas(16) float own[kMost][4] = {};
#pragma unroll
    for (int j = 0; j < kMost; ++j) {
        const int i = threadIdx.x + j * T::kThreads;
        if (i < share * kGroups) add_slices(own[j], rank * share + i / kGroups, i % kGroups * 4);
    }
    if (size > 1) cluster.wait_for_sent(shared.all_given);
    float* const C = job.start_of_c();
#pragma unroll
    for (int j = 0; j < kMost; ++j) {
        const int i = threadIdx.x + j * T::kThreads, of_share = i / kGroups, col = i % kGroups * 4;
        const int row = corner.x + rank * share + of_share;
        if (i >= share * kGroups || row >= job.rows()) return;
        const bool is_compensated_again = is_compensated && size > 2;  // of two the sum is rounded once as it is
        CompensatedSum sums[4] = {};
        for (int from = 0; from < size; ++from) {
            alignas(16) float four[4];
            copy4(four, &shared.given[from * share + of_share][col]);
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                const float part = from == rank ? own[j][q] : four[q];
                is_compensated_again ? sums[q].add(part) : void(sums[q].sum += part);
            }
        }
        alignas(16) float total[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) total[q] = is_compensated_again ? sums[q].rounded() : sums[q].sum;
        job.epilogue.store_groups<4>(C + row * job.ldc + corner.y + col, total, col, job.cols() - corner.y,
                                     job.vector_c);
    }
}

}  // namespace ladder
