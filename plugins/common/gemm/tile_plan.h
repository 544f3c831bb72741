// How long a product takes in tiles of C, and into how many pieces N is to be cut where there are few of them.
#pragma once

#include <algorithm>

#include "../export/device.h"
#include "cost_model.h"
#include "edge_columns.h"

namespace ladder {

// A tile T has kM rows and kK columns, walks along N in steps of kN, may leave a few columns to blocks of their own
// (kEdges) and may be for a piece of N (kCuts).

// The blocks of a product: `edge` columns remain behind the whole tiles, and get `edges` blocks.
struct TileGrid {
    int tiles_m, tiles_k, edge, edges;

    // Those of the edges behind the rows of tiles.
    dim3 blocks(int pieces) const { return dim3(tiles_k, tiles_m + ceil_div(edges, tiles_k), pieces); }
};

template <class T>
TileGrid tile_grid(int M, int K) {
    const int rest = K % T::kK, tiles_m = ceil_div(M, T::kM);
    if (!T::kEdges || K < T::kK || rest == 0 || rest > kEdgeCols) return {tiles_m, ceil_div(K, T::kK), 0, 0};
    return {tiles_m, K / T::kK, rest, ceil_div(M, kEdgeRows)};
}

// How long a piece of N is at most, of so many: whole steps.
template <class T>
int depth_of_pieces(int N, int pieces) {
    return ceil_div(ceil_div(N, pieces), T::kN) * T::kN;
}

// Into how many pieces to cut N, and the cycles that the product is expected to take.
struct TilePlan {
    int pieces = 1;
    double cycles = kNever;
};

// If the tiles are distributed evenly. Between one tile and the next some 3000 cycles are not the loop's. Where edges
// find no idle SM, they take a third of a tile of 64 x 128. A second kernel is taken for 6000, and L2 for 2500 bytes a
// cycle.
template <class T>
TilePlan tile_plan(const Speed& speed, int M, int N, int K, int sms) {
    const TileGrid grid = tile_grid<T>(M, K);
    const int64_t tiles = int64_t{grid.tiles_m} * grid.tiles_k, waves = waves_of(tiles, sms);
    const auto of_loop = [&](double depth) { return ffma_cycles(T::kM * T::kK, depth, speed.rate); };
    const int64_t without_sm = std::max<int64_t>(tiles + grid.edges - waves * sms, 0);
    const double edge = waves_of(without_sm, sms) * (N * 64.0 * 128 / 128 / 0.7 / 3);
    const int steps = ceil_div(N, T::kN);
    TilePlan best{1, speed.start + waves * of_loop(double(steps) * T::kN) + (waves - 1) * 3000 + edge};
    for (const int part : {1, 2, 4}) {
        const int64_t wanted = std::min<int64_t>(sms / (tiles + grid.edges) / part, steps / 2);
        if (!T::kCuts || wanted < 2) continue;
        const int depth = depth_of_pieces<T>(N, static_cast<int>(wanted)), pieces = ceil_div(N, depth);
        const double adding = 6000 + 2.0 * sizeof(float) * M * K * pieces / 2500;
        const double cycles = speed.start + of_loop(depth) + adding;
        if (cycles < best.cycles) best = {pieces, cycles};
    }
    return best;
}

}  // namespace ladder
