// The loops of 83 and 85 over what is packed: of the thread that copies tiles, and of the warpgroups that multiply.
#pragma once

#include "../common/gemm/add_edges.h"
#include "../common/gemm/as_they_are.h"
#include "../common/ptx/bulk_copy.h"
#include "../common/ptx/register_share.h"

namespace rung_83 {

using ladder::kPackedDepth, ladder::part_bytes;

template <class Format>
using Tiles = ladder::SplitTiles<Format>;

// What the copying thread and the multiplying warpgroups do.
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

// Requests the products of batch `batch` of the kBatches of a stage, whose sum replaces `to`.
template <class Format, int kBatches, int kWords>
__device__ __forceinline__ void request_products(ladder::AsyncProducts& products,
                                                 const typename Tiles<Format>::Stage& stage, int batch,
                                                 float (&to)[kWords]) {
    using T = Tiles<Format>;
    const ladder::SharedRows a(stage.a + T::first_row() * 128), b(stage.b);
    products.begin();
    constexpr int kRequests = 4 / T::kSlices / kBatches;  // of 32 bytes
#pragma unroll
    for (int i = 0; i < Format::kProducts * kRequests; ++i) {
        const int product = i / kRequests, from = T::slice() * 64 + (batch * kRequests + i % kRequests) * 32;
        products.request<Format::kOperands>(to, a.at(Format::left(product) * part_bytes(Format::kRows) + from),
                                            b.at(Format::right(product) * part_bytes(Format::kCols) + from), i > 0);
    }
    products.commit();
}

// A warpgroup has two sums of the tensor cores, which alternate: while the products of one batch, some n of a stage,
// come into one of them, the other, of the batch before it, is added in FP32, so the tensor cores always have work.
// Where sums are compensated, what FP32's rounding loses of them takes the place of the second one: then the other
// warpgroup's products give them work. kIsOdd: where rows of C begin anywhere, or have edges.
template <class Format, bool kIsOdd>
__device__ __forceinline__ void consume(typename Tiles<Format>::Shared& shared, const ladder::SplitJob& job) {
    using T = Tiles<Format>;
    constexpr int kWords = Format::kCols / 2, kBatches = T::kBatches;
    const int2 place = ladder::split_place<Format>();
    ladder::SplitRing<Format> ring(shared);
    ladder::AsyncProducts products;
    float sum[kWords], part[2][kWords];
    const auto request = [&](int batch, float(&to)[kWords]) {
        auto& stage = *ring.stages.stage;
        if (batch == 0) stage.full.wait(ring.stages.parity);
        request_products<Format, kBatches>(products, stage, batch, to);
    };
    const auto release = [&](typename T::Stage& stage) {
        __syncwarp();  // all lanes have seen that the products are there
        if (threadIdx.x % 32 == 0) stage.empty.arrive();
    };
    const bool stores_rows = kIsOdd ? job.epilogue.beta != 0.0f : !job.stores_pairs();
    const bool stores_in_stage = T::kSlices == 1 && stores_rows;  // which is released afterwards
    // Sums a tile; returns its last stage.
    const auto sum_by_turns = [&] {
        const auto add = [&](const typename T::Factors& factors, float(&from)[kWords]) {
            ladder::add_scaled<Format>(factors.a[0], Format::kRows, factors.b[0], Format::kCols, place, from, sum);
        };
        request(0, part[0]);
        // Requests batch `batch`, and adds the one before it.
        const auto advance = [&](int batch, float(&next)[kWords], float(&before)[kWords]) {
            auto& stage = *ring.stages.stage;
            const auto& factors = *ring.factors;
            if (batch == 0) ring.advance();
            request(batch, next);
            products.wait<1>(before);
            if (batch == 0) release(stage);
            add(factors, before);
        };
        int left = job.steps() * kBatches - 1;
#pragma unroll 1
        for (; left >= 2; left -= 2) advance(kBatches - 1, part[1], part[0]), advance(0, part[0], part[1]);
        typename T::Stage* last_stage;
        const auto end = [&](float(&last)[kWords]) {
            products.wait<0>(last);
            last_stage = ring.stages.stage;
            if (!stores_in_stage) release(*last_stage);
            add(*ring.factors, last);
            ring.advance();
        };
        // Of two batches a stage one is always left. Told so, ptxas has each product wait for the one before (C7514).
        if (left > 0) {
            advance(kBatches - 1, part[1], part[0]), end(part[1]);
        } else {
            end(part[0]);
        }
        return last_stage;
    };
    const auto sum_compensated = [&] {
        float(&lost)[kWords] = part[1];
#pragma unroll
        for (float& each : lost) each = 0.0f;
        typename T::Stage* stage = nullptr;
#pragma unroll 1
        for (int left = job.steps(); left > 0; --left, ring.advance()) {
            stage = ring.stages.stage;
            stage->full.wait(ring.stages.parity);
            request_products<Format, 1>(products, *stage, 0, part[0]);
            products.wait<0>(part[0]);
            if (left > 1 || !stores_in_stage) release(*stage);
            float most = 0.0f;
            const auto add = [&](int word, const auto& of_row, const auto& of_col) {
                const float added = Format::add(lost[word], part[0][word], of_row, of_col);
                const float total = sum[word] + added;
                lost[word] = added - (total - sum[word]);
                sum[word] = total;
                most = fmaxf(most, fabsf(total));
            };
            const auto& factors = *ring.factors;
            ladder::for_each_scaled<Format, kWords>(factors.a[0], Format::kRows, factors.b[0], Format::kCols, place,
                                                    add);
            if (most > 0x1.fffffep127f) {  // Inf - Inf is NaN, which the next step would add: all is forgotten
#pragma unroll
                for (float& each : lost) each = 0.0f;
            }
        }
        return stage;
    };
    int met = 0;
    for (int tile = blockIdx.x; tile < job.tiles<Format::kRows, Format::kCols>(); tile += gridDim.x) {
#pragma unroll
        for (float& each : sum) each = 0.0f;
        constexpr int kLeast = Format::kCompensatedSteps;
        typename T::Stage* const last_stage = kLeast > 0 && job.steps() >= kLeast ? sum_compensated() : sum_by_turns();
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
            release(*last_stage);
        }
    }
}

// Idle warps add the edges, where there are some.
template <class Format, bool kIsOdd>
__device__ __forceinline__ void multiply_split(typename Tiles<Format>::Shared& shared, const ladder::SplitJob& job) {
    using T = Tiles<Format>;
    if (threadIdx.x == 0) {
        for (auto& stage : shared.stages) stage.full.init(1), stage.empty.init(T::kConsumers / 32);
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
