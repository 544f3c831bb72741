// How 20_chain_clusters cuts a chain, and how long it takes then.
#pragma once

#include "../common/export/chain_call.h"
#include "../common/gemm/cluster_room.h"

namespace chain_20 {

constexpr int kTile = 32;                      // columns of a tile of D or E
constexpr int kLeastRows = 8, kMostRows = 32;  // of it
constexpr int kWarps = 8;
constexpr int kMostChunk = 32;  // n that a warp multiplies

// Whether the clusters with tiles of so many rows have room at a time, with a block per SM.
inline bool has_room(const solve_chain_t& call, int rows, const ladder::DeviceFigures& device) {
    return ladder::ceil_div(call.M, rows) <= ladder::cluster_room(device).at_a_time(ladder::ceil_div(call.K, kTile), 1);
}

struct Plan {
    int rows, chunk, tiles;  // tiles of E per block, at most
};

// As few rows as there is room for, or nearly.
inline Plan plan_of(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    int rows = kLeastRows;
    while (rows < kMostRows && !has_room(call, rows, device)) rows += rows < 24 ? 4 : 8;
    return {rows, std::max(call.N, call.K) <= kWarps * 16 ? 16 : kMostChunk,
            ladder::ceil_div(ladder::ceil_div(call.L, kTile), ladder::ceil_div(call.K, kTile))};
}

// Of 1755 MHz, on an H200: fitted to 400 chains of a seed; at 200 of another the logarithm's standard deviation is
// 0.07.
inline double cycles_of(const solve_chain_t& call, const ladder::DeviceFigures& device) {
    const Plan plan = plan_of(call, device);
    const double floats = (kTile + plan.rows) * double(call.N) + plan.tiles * kTile * double(call.K);  // of a block
    const bool words = call.N % 4 || call.K % 4 || call.L % 4;
    return 2120 + 3.3 * plan.rows * plan.chunk * (1 + plan.tiles) + 460 * (plan.tiles - 1) + 480 * words +
           0.089 * floats;
}

}  // namespace chain_20
