// How the warpgroups of 83 and 85 sum a tile of what is packed: batches of n in the tensor cores, each scaled back and
// added in FP32.
#pragma once

#include "../common/gemm/split_job.h"
#include "../common/ptx/wgmma.h"

namespace rung_83 {

template <class Format>
using Tiles = ladder::SplitTiles<Format>;

// A warpgroup's walk through the stages: all of them or, where it is a slice, those of every second 64 n.
template <class Format>
struct StageWalk {
    using T = Tiles<Format>;
    static constexpr int kWords = Format::kCols / 2;
    using Words = float[kWords];
    ladder::SplitRing<Format> ring;
    ladder::AsyncProducts products;
    const int2 place = ladder::split_place<Format>();
    const int of_tile, steps;  // of 64 n: the tile's, and the warpgroup's own
    const bool keeps_last;     // who stores a tile's sums releases its last stage

    __device__ __forceinline__ StageWalk(typename T::Shared& shared, int of_tile, bool keeps_last)
        : ring(shared),
          of_tile(of_tile),
          steps((of_tile - T::slice() + T::kSlices - 1) / T::kSlices),
          keeps_last(keeps_last) {
        if (T::slice() == 1) ring.advance();
    }
    __device__ __forceinline__ void advance() {
#pragma unroll
        for (int i = 0; i < T::kSlices; ++i) ring.advance();
    }

    // To be called by all lanes, once the products are there.
    static __device__ __forceinline__ void release(typename T::Stage& stage) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) stage.empty.arrive();
    }

    // Waits for the stage, and requests the products of batch `batch` of its kBatches, whose sum replaces `to`.
    template <int kBatches>
    __device__ __forceinline__ void request(int batch, Words& to) {
        auto& stage = *ring.stages.stage;
        // Of three stages a slice has one after the other. Before it waits for a stage's next phase the one of the
        // other slice must be over: a barrier knows the parity of phases only.
        if (T::kStages % T::kSlices != 0) stage.empty.wait(ring.stages.parity ^ 1);
        stage.full.wait(ring.stages.parity);
        const auto a = ladder::SharedRows(stage.a + T::first_row() * 128).uniform();
        const auto b = ladder::SharedRows(stage.b).uniform();
        ladder::request_batch<Format, 4 / kBatches>(products, a, ladder::part_bytes(Format::kRows), b,
                                                    ladder::part_bytes(Format::kCols), batch * (128 / kBatches), to);
    }
};

// Two sums of the tensor cores (accumulators) alternate: while the products of one of a stage's kBatches come into one
// of them, the other, of the batch before it, is added, so the tensor cores always have work. Returns the tile's last
// stage.
template <int kBatches, class Format>
__device__ __forceinline__ auto* sum_by_turns(StageWalk<Format>& walk, typename StageWalk<Format>::Words& sum) {
    static_assert(kBatches <= 2, "each has a sum of its own");
    using T = Tiles<Format>;
    float part[2][StageWalk<Format>::kWords];
    const auto add = [&](const typename T::Factors& factors, auto& from) {
        ladder::add_scaled<Format>(factors.a[0], Format::kRows, factors.b[0], Format::kCols, walk.place, from, sum);
    };
    typename T::Stage* last = nullptr;
    if (T::kSlices > 1 && walk.steps == 0) return last;
    walk.template request<kBatches>(0, part[0]);
    // Requests batch `batch`, and adds the one before it.
    const auto advance = [&](int batch, auto& next, auto& before) {
        auto& stage = *walk.ring.stages.stage;
        const auto& factors = *walk.ring.factors;
        if (batch == 0) walk.advance();
        walk.template request<kBatches>(batch, next);
        walk.products.template wait<1>(before);
        if (batch == 0) walk.release(stage);
        add(factors, before);
    };
    int left = walk.steps * kBatches - 1;
#pragma unroll 1
    for (; left >= 2; left -= 2) advance(kBatches - 1, part[1], part[0]), advance(0, part[0], part[1]);
    const auto end = [&](auto& from) {
        walk.products.template wait<0>(from);
        last = walk.ring.stages.stage;
        if (!walk.keeps_last) walk.release(*last);
        add(*walk.ring.factors, from);
        walk.advance();
    };
    // With two batches a stage one is always left; but if the code says so, ptxas serialises the products (C7514).
    if (left > 0) {
        advance(kBatches - 1, part[1], part[0]), end(part[1]);
    } else {
        end(part[0]);
    }
    return last;
}

// Compensated sums. What is lost takes the registers of a second accumulator, so while a warpgroup adds, the tensor
// cores have only another warpgroup's products to work on. Returns the tile's last stage.
template <int kBatches, class Format>
__device__ __forceinline__ auto* sum_compensated(StageWalk<Format>& walk, typename StageWalk<Format>::Words& sum) {
    using T = Tiles<Format>;
    constexpr int kWords = StageWalk<Format>::kWords;
    float part[kWords], lost[kWords];
#pragma unroll
    for (float& each : lost) each = 0.0f;
    typename T::Stage* stage = nullptr;
#pragma unroll 1
    for (int left = walk.steps * kBatches - 1; left >= 0; --left) {
        stage = walk.ring.stages.stage;
        const auto& factors = *walk.ring.factors;
        walk.template request<kBatches>(kBatches - 1 - left % kBatches, part);
        walk.products.template wait<0>(part);
        if (left % kBatches == 0) {
            if (left > 0 || !walk.keeps_last) walk.release(*stage);
            walk.advance();
        }
        ladder::add_compensated<Format>(factors.a[0], Format::kRows, factors.b[0], Format::kCols, walk.place, part, sum,
                                        lost);
    }
    return stage;
}

}  // namespace rung_83
