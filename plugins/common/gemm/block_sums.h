// The sums that the threads of a block, or of a cluster of blocks, have in shared memory: added in one order, stored.
#pragma once

#include "../ptx/cluster.h"

namespace ladder {

// Stores the sums of `count` terms each, terms[term][number], that the blocks of a cluster have in shared memory.
template <int kThreads, class Store>
__device__ __forceinline__ void store_block_sums(float* terms, int numbers, int count, int blocks, Store store) {
    const auto sum = [&](int i) {
        float total = 0.0f;
        for (int term = 0; term < count; ++term) total += terms[term * numbers + i];
        return total;
    };
    __syncthreads();
    if (blocks == 1) {
        for (int i = threadIdx.x; i < numbers; i += kThreads) store(i, sum(i));
        return;
    }
    float* const totals = terms + count * numbers;
    for (int i = threadIdx.x; i < numbers; i += kThreads) totals[i] = sum(i);
    ladder::Cluster cluster(reinterpret_cast<char*>(terms), blocks);
    cluster.sync();
    for (int i = cluster.rank() * kThreads + threadIdx.x; i < numbers; i += blocks * kThreads) {
        float part[ladder::kMostOfCluster], total = 0.0f;
#pragma unroll
        for (int rank = 0; rank < ladder::kMostOfCluster; ++rank) {
            part[rank] = rank < blocks ? *cluster.of_rank(&totals[i], rank) : 0.0f;
        }
#pragma unroll
        for (int rank = 0; rank < ladder::kMostOfCluster; ++rank) total += part[rank];
        store(i, total);
    }
    cluster.sync();  // nobody reads this block's sums any more
}

}  // namespace ladder
