// What a product asks of tiles that clusters of blocks share, each warp of which multiplies n of its own.
#pragma once

#include "cluster_room.h"
#include "work.h"

namespace ladder {

// T is a tile: kM x kK of C for kWarps warps, which multiply kChunk n at a time; kResident blocks per SM. Each cluster
// has `blocks`. If nothing cuts N, its remainder costs a multiple of kLeast n.
template <class T>
Work clusters_work(const solve_gemm_t& call, const Vectors& vectors, int blocks, const ClusterRoom& room,
                   const DeviceFigures& device) {
    Work work = bytes_of_tiles(call, vectors, T::kM, T::kK, device);
    constexpr double kPart = double(T::kLeast) / T::kChunk;
    const double steps = T::kWarps * blocks == 1
                             ? kPart * ceil_div(call.N, T::kLeast)
                             : ceil_div(ceil_div(call.N, T::kChunk), T::kWarps * blocks);  // of a warp
    const double tiles = tiles_of_call(call, T::kM, T::kK);
    if (blocks == 1) {
        count_occupancy(work, tiles, T::kResident, device);
    } else {
        const ClusterPlan plan = plan_clusters(tiles, blocks, T::kResident, room);
        work.waves = plan.waves, work.blocks = plan.waves * plan.blocks;
        work.packed = plan.taken, work.crowded = 2 * plan.blocks > plan.resident;
        work.parts = 1, work.of_parts = std::log2(blocks);
    }
    work.steps = work.waves * steps;
    count_block_steps(work, call, work.blocks * steps);
    work.copies = work.block_steps * T::kWarps * copies_of_step(vectors, T::kM, T::kK, T::kChunk) / 100;
    return work;
}

}  // namespace ladder
