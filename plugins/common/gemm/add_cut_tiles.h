// The second kernel of rung 86, stream-K's fix-up: it adds the pieces (partial sums) of the tiles that were cut along
// N, in the order of n, so that every run gives the same bits.
//
// The code is short, since it is fetched while it runs once: with its loop unrolled it was 13 KB, and took 7 us longer
// at 2560 x 2560 x 2560.
#pragma once

#include "../ptx/early_launch.h"
#include "epilogue.h"
#include "piece_sums.h"
#include "tile_order.h"
#include "word_columns.h"

namespace ladder {

// T is the tile, and Partition says which blocks had pieces of it; blockIdx.y is the number of the tile among those
// that were cut. A thread takes four places of it. Where a tile has many pieces, `groups` threads share them, so that
// more SMs read and fewer reads wait for each other.
template <class T, bool kVector, class Partition>
__global__ void __launch_bounds__(kAddingThreads)
    add_cut_tiles(const float* pieces, Partition partition, int groups, float* C, int64_t ldc, int M, int K, float beta,
                  bool vector_c, const float* bias) {
    __shared__ alignas(16) float sums[kAddingThreads][4];
    let_next_kernel_start();
    const Epilogue epilogue{1.0f, bias ? 1.0f : beta};  // the pieces have been multiplied by alpha
    const int threads = kAddingThreads / groups;        // of a group
    const int tile = blockIdx.y, start = tile * partition.steps, end = start + partition.steps;
    // The blocks that had a piece of the tile: the first from its first step on, the others from within it.
    const int first = partition.block_of(start), count = partition.block_of(end - 1) - first + 1;
    const int at = (blockIdx.x * threads + threadIdx.x % threads) * 4;
    wait_for_kernel_before(uint64_t(count) | unsigned(at));
    if (count == 1) return;  // one block had all of it

    float sum[4] = {};
    const auto load = [&](float* piece, int i) {
        copy4(piece, pieces + int64_t{Partition::slot_of(first + i, i > 0)} * T::kM * T::kK + at);
    };
    if (!add_pieces(sum, sums, count, groups, load)) return;

    const int2 corner = corner_of<T::kM, T::kK>(partition.whole + tile, M, K);
    const int row = at / T::kK, place = at % T::kK;
    if (corner.x + row >= M) return;
    float* c = C + (corner.x + row) * ldc;
    const float* const added = bias ? bias : c;
    if (kVector && vector_c) {
        if (corner.y + place < K) epilogue.store4(&c[corner.y + place], &added[corner.y + place], sum);
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int col = corner.y + column_at<kVector>(place + k);
        if (col < K) epilogue.store(&c[col], &added[col], sum[k]);
    }
}

// Enqueues it: C = the sums of the pieces + beta * C, or + the bias of the column, for the tiles that were cut.
template <class T, bool kVector, class Partition>
void add_cut(const float* pieces, const Partition& partition, float* C, int64_t ldc, int M, int K, float beta,
             bool vector_c, cudaStream_t stream, const float* bias = nullptr) {
    const int groups = partition.blocks_of_remainder / partition.cut > 8 ? 8 : 1;
    const int adders = T::kM * T::kK / (4 * kAddingThreads) * groups;
    launch_early(add_cut_tiles<T, kVector, Partition>, dim3(adders, partition.cut), kAddingThreads, 0, stream, pieces,
                 partition, groups, C, ldc, M, K, beta, vector_c, bias);
}

}  // namespace ladder
