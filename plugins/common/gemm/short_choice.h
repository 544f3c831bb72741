// What 77 chooses among, and the model of its time: short sums, a tile at a time in each of an SM's blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "../export/gemm.h"
#include "../ptx/l2_policy.h"
#include "cost_model.h"
#include "turned_call.h"

namespace ladder {

// Of C a block of 8 warps has m x k, and a thread rows x cols of them; so many blocks per SM.
struct ShortTile {
    int m, k, rows, cols, resident;
};

// Round figures of an H100, not measured: cycles of 1.755 GHz, and bytes a cycle of all SMs.
struct ShortSpeed {
    double start = 3600;          // a launch that begins early
    double latency = 1000;        // of a wave of blocks: until its first loads are there, and its last stores gone
    double to_l2 = 2600;          // stores, while C stays in L2
    double to_memory = 1400;      // stores of what does not
    double turned_stores = 0.25;  // of to_l2: single words, each in another row of C
    double ragged_stores = 0.85;  // of to_l2: rows of C that begin within a sector
    double issue = 0.85;          // of a warp instruction a cycle in each quarter of an SM
    double stall = 40;            // that a warp waits for shared memory, for each n
    double shared = 0.8;          // of 32 words a cycle
};

inline double cycles_of_short(const ShortTile& tile, const solve_gemm_t& call, bool turned, int sms, double l2) {
    constexpr ShortSpeed kSpeed;
    constexpr double kWarps = 8, kOfBlock = 250, kOfCopy = 5, kOfStore = 1.5, kOfTurnedStore = 3;  // instructions
    const double tiles = double(ceil_div(call.M, tile.m)) * ceil_div(call.K, tile.k) * call.batch;
    const double per_sm = std::ceil(tiles / sms), outputs = tile.rows * tile.cols;

    // What an SM does for so many blocks at a time: instructions of their warps, for each n and for all else, and
    // passes of its shared memory. A warp that has its quarter of the SM to itself waits for each n.
    const double reads = std::max(1.0, tile.rows / 4.0) + tile.cols, of_n = outputs + reads;
    const double copies = (tile.m + tile.k) * call.N / (32 * kWarps);  // of words, a thread
    const double of_all = kOfBlock + copies * kOfCopy + outputs * (turned ? kOfTurnedStore : kOfStore);
    const auto of_wave = [&](double blocks) {
        const double warps = blocks * kWarps / 4;  // of a quarter
        const double issued = std::max(warps * of_n / kSpeed.issue, of_n + kSpeed.stall);
        return kSpeed.latency + call.N * std::max(issued, blocks * kWarps * reads / kSpeed.shared) +
               warps * of_all / kSpeed.issue;
    };
    const double full = std::floor(per_sm / tile.resident), rest = per_sm - full * tile.resident;
    const double work = full * of_wave(tile.resident) + (rest > 0 ? of_wave(rest) : 0);

    // What C costs L2 and memory, spread as evenly as the tiles are.
    const double bytes = sizeof(float) * double(call.M) * call.K * call.batch * (call.beta != 0.0f ? 2 : 1);
    const double kept = std::min(bytes, l2 / 2), uneven = std::min(per_sm * sms / tiles, 2.0);
    const double way = turned ? kSpeed.turned_stores : call.ldc % 8 == 0 ? 1.0 : kSpeed.ragged_stores;
    const double stores = std::max(bytes / (kSpeed.to_l2 * way) * uneven, (bytes - kept) / kSpeed.to_memory);
    return kSpeed.start + std::max(work, kSpeed.latency + stores);
}

// A way to compute a call: with that tile, of which the rows are C's columns and the columns C's rows if it is turned.
struct ShortConfig {
    ShortTile tile;
    bool turned;
    void (*launch_tiles)(const solve_gemm_t& call, bool turned, float evict_first);

    double cycles(const solve_gemm_t& call, int sms, double l2) const {
        return cycles_of_short(tile, turned ? ladder::turned(call) : call, turned, sms, l2);
    }
    void launch(const solve_gemm_t& call, float evict_first) const {
        launch_tiles(turned ? ladder::turned(call) : call, turned, evict_first);
    }
};

// Turned, C is written a word at a time: for few columns, of which others leave most of a tile empty.
inline bool fits(const ShortConfig& config, const solve_gemm_t& call) {
    return !config.turned || call.K <= 32;
}

struct ShortChoice {
    const ShortConfig* config = nullptr;
    double cycles = kNever;
};

inline ShortChoice choose_short(std::span<const ShortConfig> configs, const solve_gemm_t& call, int sms) {
    const double l2 = current_device().l2;
    ShortChoice best{&configs.front()};
    for (const ShortConfig& config : configs) {
        if (!fits(config, call)) continue;
        const double cycles = config.cycles(call, sms, l2);
        if (cycles < best.cycles) best = {&config, cycles};
    }
    return best;
}

// A call without a bias.
inline void launch_short(std::span<const ShortConfig> configs, const solve_gemm_t& call, int sms) {
    const float evict_first = evict_first_fraction(sizeof(float) * double(call.M) * call.K * call.batch);
    choose_short(configs, call, sms).config->launch(call, evict_first);
}

}  // namespace ladder
