// What a product with a short sum asks of 77's tiles, and which of these is expected to be the fastest.
#pragma once

#include <algorithm>
#include <span>

#include "sector_shift.h"
#include "way_costs.h"

namespace ladder {

// Of C a block has m x k; so many blocks per SM.
struct ShortTile {
    int m, k, resident;
};

struct ShortConfig {
    WayId id;
    ShortTile tile;
    void (*launch)(const solve_gemm_t& call);  // without a bias
};

inline Work short_work(const ShortTile& tile, const solve_gemm_t& call, const Vectors& vectors,
                       const DeviceFigures& device) {
    solve_gemm_t counted = call;
    counted.K = columns_with_shift(call.K, expected_shift(call), tile.k);
    Work work = work_of_blocks(counted, vectors, tile.m, tile.k, 1, tile.resident, device);
    work.l2_kb = 0;  // as its steps
    return work;
}

inline const ShortConfig& config_with(std::span<const ShortConfig> configs, WayId id) {
    return *std::ranges::find(configs, id, &ShortConfig::id);
}

inline const ShortConfig& best_short(std::span<const ShortConfig> configs, const solve_gemm_t& call) {
    const DeviceFigures device = current_device();
    const Vectors vectors(call);
    const CostsOfGpu& costs = costs_for(device.capability);
    return *std::ranges::min_element(configs, {}, [&](const ShortConfig& config) {
        return costs.cycles(config.id, short_work(config.tile, call, vectors, device), call, device);
    });
}

}  // namespace ladder
