// The loops of 83 and 85 over what is packed: of the producer thread, which copies tiles, and of the consumer
// warpgroups, which multiply.
#pragma once

#include "../common/gemm/add_edges.h"
#include "../common/gemm/as_they_are.h"
#include "../common/ptx/bulk_copy.h"
#include "../common/ptx/register_share.h"
#include "83_split_sums.h"

namespace rung_83 {

using ladder::kPackedDepth, ladder::part_bytes;

// What the producer thread and the consumer warpgroups do.
template <class Format>
__device__ __forceinline__ void produce(typename Tiles<Format>::Shared& shared, const ladder::SplitJob& job) {
    using T = Tiles<Format>;
    ladder::SplitRing<Format> ring(shared);
    const int steps = ladder::ceil_div(job.operands.N, kPackedDepth);
    for (int tile = blockIdx.x; tile < job.tiles<Format::kRows, Format::kCols>(); tile += gridDim.x) {
        const int2 corner = job.corner<Format::kRows, Format::kCols>(tile);
        const char* a = job.operands.packed_a + int64_t{corner.x / Format::kRows} * steps * T::kPackedA;
        const char* b = job.operands.packed_b + int64_t{corner.y / Format::kCols} * steps * T::kPackedB;
        for (int step = 0; step < steps; ++step, a += T::kPackedA, b += T::kPackedB) {
            auto& stage = *ring.stages.stage;
            auto& factors = *ring.factors;
            stage.empty.wait(ring.stages.parity ^ 1);
            stage.full.arrive_expecting(sizeof(stage.a) + sizeof(stage.b) + sizeof(factors));
            ladder::bulk_copy(stage.a, a, sizeof(stage.a), stage.full);
            ladder::bulk_copy(stage.b, b, sizeof(stage.b), stage.full);
            ladder::bulk_copy(factors.a, a + sizeof(stage.a), sizeof(factors.a), stage.full);
            ladder::bulk_copy(factors.b, b + sizeof(stage.b), sizeof(factors.b), stage.full);
            ring.advance();
        }
    }
}

// kIsOdd: where rows of C begin anywhere, or have edges.
template <class Format, bool kIsOdd>
__device__ __forceinline__ void consume(typename Tiles<Format>::Shared& shared, const ladder::SplitJob& job) {
    using T = Tiles<Format>;
    constexpr int kWords = Format::kCols / 2;
    const bool stores_rows = kIsOdd ? job.epilogue.beta != 0.0f : !job.stores_pairs();
    const bool stores_in_stage = T::kSlices == 1 && stores_rows;
    StageWalk<Format> walk(shared, job.steps(), stores_in_stage);
    int met = 0;
    for (int tile = blockIdx.x; tile < job.tiles<Format::kRows, Format::kCols>(); tile += gridDim.x) {
        float sum[kWords];
#pragma unroll
        for (float& each : sum) each = 0.0f;
        auto* const last_stage = Format::sum_tile(walk, sum);
        const int2 corner = job.corner<Format::kRows, Format::kCols>(tile);
        if constexpr (T::kSlices > 1) {
            float total[kWords / 2];
            ladder::add_slices<Format>(shared, sum, total);
            const int2 of_slice = make_int2(corner.x, corner.y + T::slice() * Format::kCols / 2);
            // In stages that add_slices does not use.
            stores_rows ? ladder::store_rows<Format>(job, of_slice, total, T::room(shared.stages[1]))
                        : ladder::store_pairs<Format>(job, of_slice, total);
        } else if (!stores_in_stage) {
            kIsOdd ? ladder::store_sectors<Format>(job, corner, sum) : ladder::store_pairs<Format>(job, corner, sum);
        } else {
            T::meet(shared, met);  // all products of the stage are there
            met ^= 1;
            ladder::store_rows<Format>(job, corner, sum, T::room(*last_stage));
            ladder::show_memory_to_copies();
            walk.release(*last_stage);
        }
    }
}

// Idle warps add the edges, where there are some.
template <class Format, bool kIsOdd>
__device__ __forceinline__ void multiply_split(typename Tiles<Format>::Shared& shared, const ladder::SplitJob& job) {
    using T = Tiles<Format>;
    if (threadIdx.x == 0) {
        for (auto& stage : shared.stages) stage.full.init(1), stage.empty.init(T::kConsumers / T::kSlices / 32);
        shared.meeting.init(T::kConsumers / 32);
        ladder::show_barriers_to_own_copies();
    }
    __syncthreads();
    if (threadIdx.x >= T::kConsumers) {
        if (T::kBlocks == 1) ladder::give_registers<40>();
        if (threadIdx.x == T::kConsumers) {
            produce<Format>(shared, job);
        } else if (kIsOdd && threadIdx.x >= T::kConsumers + 32) {
            ladder::add_edges_in_product<T::kConsumers + 32, T::kThreads>(job);
        }
    } else {
        if (T::kBlocks == 1) ladder::take_registers<232>();
        consume<Format, kIsOdd>(shared, job);
    }
}

}  // namespace rung_83
