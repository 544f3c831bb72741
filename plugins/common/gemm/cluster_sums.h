// The partial sums of a tile of C, one for each warp of each block of a cluster: added in one order, and stored.
//
// T is a tile: kM x kK of C for kWarps warps, kThreads threads; in T::Shared each warp has left its partial sums as
// sums[warp][row][column].
#pragma once

#include "../export/gemm_call.h"
#include "../ptx/cluster.h"
#include "epilogue.h"

namespace ladder {

// kWidth neighbours of a tile's sums, 4 or 1: those of all warps, or of all blocks of the cluster, added.
template <class T, int kWidth>
struct Sums {
    static constexpr int kCount = T::kM * T::kK / kWidth;  // of them in a tile
    typename T::Shared& shared;

    static __device__ __forceinline__ int row(int i) { return i / (T::kK / kWidth); }
    static __device__ __forceinline__ int col(int i) { return i % (T::kK / kWidth) * kWidth; }
    __device__ __forceinline__ float* of_warp(int warp, int i) const { return &shared.sums[warp][row(i)][col(i)]; }

    static __device__ __forceinline__ void add(float (&total)[kWidth], const float* from) {
        if constexpr (kWidth == 4) add4(total, from);
        if constexpr (kWidth == 1) total[0] += *from;
    }
    __device__ __forceinline__ void add_warps(float (&total)[kWidth], int i) const {
#pragma unroll
        for (int warp = 0; warp < T::kWarps; ++warp) add(total, of_warp(warp, i));
    }
    // Of what the first warp's place holds in each block.
    __device__ __forceinline__ void add_blocks(float (&total)[kWidth], int i, const Cluster& cluster,
                                               int blocks) const {
        for (int rank = 0; rank < blocks; ++rank) add(total, cluster.of_rank(of_warp(0, i), rank));
    }
};

// A block's share of the tile to C. Neighbouring threads have neighbours, so that they write whole sectors, 16 bytes at
// a time or words.
template <class T, int kWidth>
__device__ __forceinline__ void store_share_of_sums(typename T::Shared& shared, const Cluster& cluster, int blocks,
                                                    const solve_gemm_t& call, int64_t product, int tile_row,
                                                    int tile_col) {
    const Sums<T, kWidth> sums{shared};
    const Epilogue epilogue{call.alpha, call.beta};
    const int share = ceil_div(sums.kCount, blocks), first = blocks > 1 ? cluster.rank() * share : 0;
    for (int i = first + threadIdx.x; i < min(first + share, sums.kCount); i += T::kThreads) {
        alignas(16) float total[kWidth] = {};
        blocks > 1 ? sums.add_blocks(total, i, cluster, blocks) : sums.add_warps(total, i);
        const int row = tile_row + sums.row(i), col = tile_col + sums.col(i);
        if (row >= call.M || col >= call.K) continue;
        float* const c = c_of(call, product) + row * call.ldc + col;
        if constexpr (kWidth == 4) epilogue.store4(c, total);
        if constexpr (kWidth == 1) epilogue.store(c, total[0]);
    }
}

template <class T>
__device__ __forceinline__ void store_sums(typename T::Shared& shared, Cluster& cluster, int blocks,
                                           const solve_gemm_t& call, int64_t product, int tile_row, int tile_col,
                                           bool vector_c) {
    if (blocks > 1) {
        const Sums<T, 4> sums{shared};
        for (int i = threadIdx.x; i < sums.kCount; i += T::kThreads) {
            alignas(16) float total[4] = {};
            sums.add_warps(total, i);
            copy4(sums.of_warp(0, i), total);
        }
        cluster.sync();
    }
    if (vector_c) {
        store_share_of_sums<T, 4>(shared, cluster, blocks, call, product, tile_row, tile_col);
    } else {
        store_share_of_sums<T, 1>(shared, cluster, blocks, call, product, tile_row, tile_col);
    }
    if (blocks > 1) cluster.sync();  // nobody reads this block's sums any more
}

}  // namespace ladder
