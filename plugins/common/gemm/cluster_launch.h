// Launches of kernels whose tiles of C are shared by clusters of blocks, and the choice among such tiles.
#pragma once

#include <algorithm>
#include <type_traits>

#include "../export/allow_shared.h"
#include "../export/gemm_call.h"
#include "../ptx/cluster.h"
#include "cluster_room.h"
#include "cluster_work.h"
#include "plan_cache.h"

namespace ladder {

// kernel(call, blocks, tiles, first product, arguments...) for each tile of T, of each product: a cluster of `blocks`.
// Clusters are numbered through a product's tiles, row by row of them, and then through products. kPieces: those are
// pieces of one product (add_pieces.h).
template <class T, bool kPieces = false, class... Parameters>
void launch_tiles(void (*kernel)(solve_gemm_t, int, int, int64_t, Parameters...), const solve_gemm_t& call, int blocks,
                  std::type_identity_t<Parameters>... arguments) {
    const auto stream = static_cast<cudaStream_t>(call.stream);
    const int tiles = ceil_div(call.M, T::kM) * ceil_div(call.K, T::kK),
              most = std::max(1, (1 << 30) / tiles);  // products
    const DeviceFigures device = current_device();
    const double all = double(tiles) * call.batch;
    const int shared = kPieces ? shared_for_fewest_blocks(sizeof(typename T::Shared), all, T::kResident, device)
                               : shared_for_clusters(sizeof(typename T::Shared), all, blocks, T::kResident, device);
    allow_shared(kernel, shared);
    for (int64_t first = 0; first < call.batch; first += most) {
        const int clusters = tiles * static_cast<int>(std::min<int64_t>(most, call.batch - first));
        if (blocks > kMostOfCluster) allow_large_clusters(kernel);
        if (blocks > 1) {
            launch_clusters(kernel, clusters, blocks, T::kThreads, shared, stream, call, blocks, tiles, first,
                            arguments...);
        } else {
            launch_early(kernel, dim3(clusters), T::kThreads, shared, stream, call, 1, tiles, first, arguments...);
        }
    }
}

// Calls visit(blocks, work) for each number of blocks of a cluster that is worth a thought: more than two tiles per SM
// leave nothing to clusters, and a block without a step of N gives nothing. More tiles than a grid has blocks: for
// none.
template <class T, class Visit>
void for_each_cluster(const solve_gemm_t& call, const Vectors& vectors, const DeviceFigures& device, Visit visit) {
    const double tiles = tiles_of_call(call, T::kM, T::kK);
    if (tiles > 1 << 30) return;
    const int steps = ceil_div(call.N, T::kChunk),
              most = tiles > 2 * device.sms ? 1 : std::min(largest_cluster(device.capability), steps);
    const ClusterRoom& room = cluster_room(device);
    for (const int blocks : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16}) {
        if (blocks == 1 || blocks <= most) visit(blocks, clusters_work<T>(call, vectors, blocks, room, device));
    }
}

// Launches what is expected to take the least time of a rung's ways: for_each_way(call, vectors, device, visit) calls
// visit(id, blocks, work, launch) for each. The call has no bias. ForEachWay is a type of the rung's own, to which its
// cache of choices belongs: to choose takes the host some 50 us.
template <class ForEachWay>
int launch_best(const solve_gemm_t& call, ForEachWay for_each_way) {
    struct Chosen {
        void (*launch)(const solve_gemm_t& call, int blocks);
        int blocks;
    };
    static PlanCache<Chosen> cache;
    const DeviceFigures device = current_device();
    const CostsOfGpu& costs = costs_for(device.capability);
    const Chosen chosen = cache.find_or(key_of(call, costs, device, false), [&]() -> Chosen {
        WayOfCall best{.cycles = kNever};
        for_each_good_way(
            costs, call, device, [&](auto add) { for_each_way(call, Vectors(call), device, add); },
            [&](const WayOfCall& way) {
                if (way.cycles < best.cycles) best = way;
            });
        return {best.launch, best.blocks};
    });
    if (!chosen.launch) return fail("more tiles than a grid has blocks"), SOLVE_UNSUPPORTED;
    chosen.launch(call, chosen.blocks);
    return SOLVE_OK;
}

}  // namespace ladder
