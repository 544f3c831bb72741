// The partial sums of a tile of C, one for each block of a cluster or for each of its warps: added in one order, and
// stored.
#pragma once

#include "../export/gemm_call.h"
#include "../ptx/cluster.h"
#include "epilogue.h"

namespace ladder {

// Adds four neighbours of the sums that each block of a cluster has, in the order of ranks; those of kAtOnce ranks are
// in flight together.
__device__ __forceinline__ void add_of_ranks(float (&total)[4], const float* own, const Cluster& cluster, int blocks) {
    constexpr int kAtOnce = 4;
    for (int rank = 0; rank < blocks; rank += kAtOnce) {
        alignas(16) float part[kAtOnce][4] = {};
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            if (rank + i < blocks) copy4(part[i], cluster.of_rank(own, rank + i));
        }
#pragma unroll
        for (int i = 0; i < 4 * kAtOnce; ++i) total[i % 4] += part[i / 4][i % 4];
    }
}

// Stores a block's share of the first `rows` rows and `cols` columns of a tile of which each block of the cluster has
// sums, by all of its threads. C is the tile's corner; `vector`: it can be written 16 bytes at a time.
template <int kThreads, int kK, int kM, int kPitch>
__device__ __forceinline__ void store_share(const float (&sums)[kM][kPitch], const Cluster& cluster, int blocks,
                                            float* C, int64_t ldc, int rows, int cols, const Epilogue& epilogue,
                                            bool vector) {
    constexpr int kFours = kM * kK / 4;  // of the tile
    const int share = ceil_div(kFours, blocks), first = cluster.rank() * share;
    for (int at = first + threadIdx.x; at < min(first + share, kFours); at += kThreads) {
        const int row = at / (kK / 4), col = at % (kK / 4) * 4;
        alignas(16) float total[4] = {};
        add_of_ranks(total, &sums[row][col], cluster, blocks);
        if (row < rows) epilogue.store_groups<4>(C + row * ldc + col, total, col, cols, vector);
    }
}

// What follows is of a T, a tile: kM x kK of C for kWarps warps, kThreads threads; in T::Shared each warp has left its
// partial sums as sums[warp][row][column].
//
// kWidth neighbours of a tile's sums, 4 or 1: those of all warps, added.
template <class T, int kWidth>
struct Sums {
    static constexpr int kCount = T::kM * T::kK / kWidth;  // of them in a tile
    typename T::Shared& shared;

    static __device__ __forceinline__ int row(int i) { return i / (T::kK / kWidth); }
    static __device__ __forceinline__ int col(int i) { return i % (T::kK / kWidth) * kWidth; }
    __device__ __forceinline__ float* of_warp(int warp, int i) const { return &shared.sums[warp][row(i)][col(i)]; }

    __device__ __forceinline__ void add_warps(float (&total)[kWidth], int i) const {
#pragma unroll
        for (int warp = 0; warp < T::kWarps; ++warp) {
            if constexpr (kWidth == 4) add4(total, of_warp(warp, i));
            if constexpr (kWidth == 1) total[0] += *of_warp(warp, i);
        }
    }
};

// A block's share of the tile to C. Neighbouring threads have neighbours, so that they write whole sectors, 16 bytes at
// a time or words; what the blocks of a cluster have is read 16 bytes at a time in any case.
template <class T, int kWidth>
__device__ __forceinline__ void store_share_of_sums(typename T::Shared& shared, const Cluster& cluster, int blocks,
                                                    const solve_gemm_t& call, int64_t product, int tile_row,
                                                    int tile_col, bool vector_c) {
    const Sums<T, kWidth> sums{shared};
    const Epilogue epilogue{call.alpha, call.beta};
    const int share = ceil_div(sums.kCount, blocks), first = blocks > 1 ? cluster.rank() * share : 0;
    for (int i = first + threadIdx.x; i < min(first + share, sums.kCount); i += T::kThreads) {
        alignas(16) float total[kWidth] = {};
        if constexpr (kWidth == 4) {
            blocks > 1 ? add_of_ranks(total, sums.of_warp(0, i), cluster, blocks) : sums.add_warps(total, i);
        } else {
            sums.add_warps(total, i);
        }
        const int row = tile_row + sums.row(i), col = tile_col + sums.col(i);
        if (row >= call.M || col >= call.K) continue;
        float* const c = c_of(call, product) + row * call.ldc + col;
        if constexpr (kWidth == 4) epilogue.store_groups<4>(c, total, col, call.K, vector_c);
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
    if (vector_c || blocks > 1) {
        store_share_of_sums<T, 4>(shared, cluster, blocks, call, product, tile_row, tile_col, vector_c);
    } else {
        store_share_of_sums<T, 1>(shared, cluster, blocks, call, product, tile_row, tile_col, false);
    }
    if (blocks > 1) cluster.sync();  // nobody reads this block's sums any more
}

}  // namespace ladder
