// The kernels that 67, 77, 79 and 90 choose among, each with its tile, and what their work costs (work.h), measured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "cost_trees.h"
#include "way_trees.h"
#include "work.h"

namespace ladder {

enum class WayId {
    plain_128x128,  // 56
    plain_64x64,
    plain_16x16,
    warp_tile,    // 60
    cp_async,     // 64
    small_32x32,  // 67
    small_64x32,
    small_32x64,
    small_64x64,
    small_128x32,
    small_64x128,
    slices_64x128,  // 69, and 87 for batches
    slices_64x64,
    slices_64x32,
    few_rows,     // 76
    few_columns,  // 78
    vectors,      // 75
    short_32x64,  // 77
    short_32x128,
    short_32x256,
    short_64x64,
    short_64x128,
    short_128x64,
    clusters_32x32,  // 79
    clusters_8x32,
    clusters_32x8,
    clusters_32x64,
    walk_128x256,  // 86, and 88 for batches
    walk_64x128,
    walk_128x64,
    walk_tn_128x256,  // 88, by the operands that are transposed
    walk_tn_64x128,
    walk_tn_128x64,
    walk_nt_128x256,
    walk_nt_64x128,
    walk_nt_128x64,
    walk_tt_256x128,
    walk_tt_64x128,
    walk_tt_128x64,
    turned,      // 89, without the product
    one_by_one,  // has no costs of its own
};
constexpr const char* kWayNames[] = {
    "plain_128x128",   "plain_64x64",    "plain_16x16",    "warp_tile",       "cp_async",       "small_32x32",
    "small_64x32",     "small_32x64",    "small_64x64",    "small_128x32",    "small_64x128",   "slices_64x128",
    "slices_64x64",    "slices_64x32",   "few_rows",       "few_columns",     "vectors",        "short_32x64",
    "short_32x128",    "short_32x256",   "short_64x64",    "short_64x128",    "short_128x64",   "clusters_32x32",
    "clusters_8x32",   "clusters_32x8",  "clusters_32x64", "walk_128x256",    "walk_64x128",    "walk_128x64",
    "walk_tn_128x256", "walk_tn_64x128", "walk_tn_128x64", "walk_nt_128x256", "walk_nt_64x128", "walk_nt_128x64",
    "walk_tt_256x128", "walk_tt_64x128", "walk_tt_128x64", "turned",          "one_by_one"};
static_assert(std::size(kWayNames) == static_cast<size_t>(WayId::one_by_one) + 1);
inline const char* name_of(WayId id) {
    return kWayNames[static_cast<size_t>(id)];
}

constexpr size_t kWaysWithCosts = static_cast<size_t>(WayId::one_by_one);

// The costs of all ways on a GPU, in the order of enum WayId, and its trees. `make tune` writes those of the GPU at
// hand.
struct CostsOfGpu {
    int capability;  // times 10: a GPU takes the costs of the newest one that is not newer, or the first
    Costs of[kWaysWithCosts];
    CostTrees trees{};  // if there are any

    double sum(WayId id, const Work& work) const { return cycles_of(of[static_cast<size_t>(id)], work); }

    // What is expected of a way at a call.
    double cycles(WayId id, const Work& work, const solve_gemm_t& call) const {
        const auto way = static_cast<int>(id);
        return sum(id, work) * factor_of(trees, way, of[way], work, call);
    }
};

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb,
// crowded, packed, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3 and H200
         {4490, 4242, 413, 0, 0, 1201, 0, 22, 0, 0, 65, 191, 0, 258, 0, 0, 0},                // plain_128x128
         {4314, 1342, 372, 0, 453, 670, 24, 19.6, 0, 0, 47, 142, 3.68, 111, 0, 0, 0},         // plain_64x64
         {1802, 1857, 359, 0, 0, 72, 0, 2.43, 0, 9.24, 33, 71, 24, 929, 0, 0, 0},             // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                       // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                       // cp_async
         {1888, 353, 261, 0, 98, 0, 19.4, 28, 470, 12.2, 0, 36, 20, 992, 8402, 2088, 0},      // small_32x32
         {2013, 0, 255, 0, 297, 269, 61, 13.9, 0, 18, 0, 32, 14.5, 314, 5692, 2258, 0},       // small_64x32
         {573, 2210, 429, 0, 131, 249, 12.9, 42, 0, 8.85, 0, 50, 9.01, 1031, 7617, 2727, 0},  // small_32x64
         {1040, 1429, 229, 0, 417, 0, 22, 19, 859, 13.3, 0, 44, 4.48, 515, 8301, 2829, 0},    // small_64x64
         {1553, 846, 311, 0, 538, 450, 76, 23, 0, 17.9, 0, 47, 17, 852, 9409, 2836, 0},       // small_128x32
         {0, 2875, 393, 0, 976, 910, 11.9, 36, 0, 19.5, 0, 45, 0, 752, 10824, 4902, 0},       // small_64x128
         {1164, 2683, 1177, 1280, 88059, 0, 0, 0, 0, 0, 39, 208, 3.26, 0, 0, 0, 0},           // slices_64x128
         {1096, 2159, 1291, 1426, 0, 0, 0, 0, 0, 0, 70, 228, 0, 0, 0, 1892, 560},             // slices_64x64
         {833, 2011, 1274, 1984, 0, 0, 0, 0, 0, 0.991, 172, 659, 5.18, 0, 0, 0, 0},           // slices_64x32
         {3021, 0, 706, 1077, 0, 0, 0, 0, 0, 0, 1136, 2221, 0, 0, 0, 0, 0},                   // few_rows
         {4635, 0, 610, 837, 0, 0, 0, 0, 0, 0, 13264, 2089, 22, 0, 0, 1238, 0},               // few_columns
         {160, 0, 1008, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                            // vectors
         {1891, 115, 51, 0, 561, 41, 3.34, 21, 0, 0, 21, 23, 1.5, 0, 0, 0, 0},                // short_32x64
         {2187, 0, 50, 0, 695, 51, 3.1, 43, 0, 0, 21, 22, 0.492, 11.1, 0, 0, 0},              // short_32x128
         {2452, 0, 62, 0, 894, 88, 2.54, 81, 0, 0, 25, 28, 0, 585, 0, 0, 0},                  // short_32x256
         {2042, 0, 58, 0, 787, 47, 12.4, 19.8, 0, 0, 15.6, 17.2, 0, 11.5, 0, 0, 0},           // short_64x64
         {2481, 0, 77, 0, 934, 85, 11.9, 44, 0, 0, 22, 24, 0, 122, 0, 0, 0},                  // short_64x128
         {1805, 387, 75, 0, 1259, 71, 21, 12.4, 0, 0, 19.4, 22, 0.52, 139, 0, 0, 0},          // short_128x64
         {0, 1809, 782, 0, 599, 681, 141, 222, 185, 10.3, 0, 0, 13.4, 0, 4526, 1719, 176},    // clusters_32x32
         {0, 2271, 258, 0, 0, 325, 0, 152, 172, 6.5, 0, 0, 26, 38, 2958, 1126, 210},          // clusters_8x32
         {0, 2186, 356, 0, 0, 376, 177, 0, 141, 14.7, 0, 0, 9.96, 21, 2955, 1303, 184},       // clusters_32x8
         {0, 4027, 644, 0, 0, 729, 68, 325, 260, 11.7, 0, 45, 7.42, 0, 7022, 1999, 0},        // clusters_32x64
         {4298, 3438, 2170, 2239, 1075, 0, 0, 0, 0, 0, 24, 54, 0, 0, 0, 910, 114},            // walk_128x256
         {4165, 2978, 2232, 2358, 1324, 0, 0, 0, 0, 0, 23, 83, 0, 0, 0, 1633, 314},           // walk_64x128
         {4138, 3135, 2325, 2446, 1625, 0, 0, 0, 0, 0, 17.7, 70, 0, 0, 0, 1546, 321},         // walk_128x64
         {5095, 2631, 2247, 2204, 0, 0, 0, 0, 0, 0, 34, 268, 0, 0, 0, 1846, 110},             // walk_tn_128x256
         {4868, 3222, 2187, 2323, 0, 0, 0, 0, 0, 0, 27, 214, 0, 0, 0, 2185, 282},             // walk_tn_64x128
         {4700, 3498, 2183, 2324, 0, 0, 0, 0, 0, 0, 21, 210, 0, 0, 0, 1862, 285},             // walk_tn_128x64
         {5931, 2351, 2667, 0, 0, 0, 0, 0, 0, 0, 39, 278, 0, 0, 0, 366, 146},                 // walk_nt_128x256
         {4121, 4265, 2436, 0, 0, 0, 0, 0, 0, 0, 0, 212, 0, 0, 0, 1146, 333},                 // walk_nt_64x128
         {4051, 4338, 2432, 0, 0, 0, 0, 0, 0, 0, 0, 216, 0, 0, 0, 1701, 318},                 // walk_nt_128x64
         {4669, 4290, 2284, 2280, 0, 0, 0, 0, 0, 0, 20, 252, 0, 0, 0, 1418, 111},             // walk_tt_256x128
         {4753, 4024, 2322, 2379, 0, 0, 0, 0, 0, 0, 3.34, 220, 0, 0, 0, 1359, 300},           // walk_tt_64x128
         {4885, 3790, 2239, 2359, 0, 0, 0, 0, 0, 0, 7.16, 208, 0, 0, 0, 752, 298},            // walk_tt_128x64
         {2943, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 45, 0, 0, 2923, 76},                         // turned
     },
     {kQuestionsOf90, kTreesOf90}},
};

inline const CostsOfGpu& costs_for(int capability) {
    const CostsOfGpu* found = kCostsOfGpus;
    for (const CostsOfGpu& each : kCostsOfGpus) {
        if (each.capability <= capability && each.capability > found->capability) found = &each;
    }
    return *found;
}

// Calls visit(cycles, id, blocks, work, ...) for the ways of a call that may be the best one: for_each_way(visit) calls
// visit(id, blocks, work, ...) for all of them, and trees, which take the host some 3 us a way, are asked of the 16
// with the least sums of costs, if those are at most 1.3 times the least sum. It is 7 of 80 in the mean, and a choice
// among all is 0.1 % better (notes/90_dispatch.md).
template <class ForEachWay, class Visit>
void for_each_good_way(const CostsOfGpu& costs, const solve_gemm_t& call, ForEachWay for_each_way, Visit visit) {
    constexpr double kNear = 1.3;
    constexpr size_t kMost = 16;
    std::vector<double> sums;
    for_each_way([&](WayId id, int, const Work& work, auto&&...) { sums.push_back(costs.sum(id, work)); });
    if (sums.empty()) return;
    const double least = *std::ranges::min_element(sums);
    const auto last = sums.begin() + (std::min(kMost, sums.size()) - 1);
    std::ranges::nth_element(sums, last);
    const double limit = std::min(std::max(kNear * least, least), *last);
    for_each_way([&](WayId id, int blocks, const Work& work, auto&&... more) {
        if (costs.sum(id, work) <= limit) visit(costs.cycles(id, work, call), id, blocks, work, more...);
    });
}

}  // namespace ladder
