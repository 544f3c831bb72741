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
    double cycles(WayId id, const Work& work, const solve_gemm_t& call, const DeviceFigures& device) const {
        const auto way = static_cast<int>(id);
        return sum(id, work) * factor_of(trees, way, of[way], work, call, device);
    }
};

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb,
// crowded, packed, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3 and H200
         {4609, 4137, 415, 0, 0, 1199, 0, 21, 0, 0, 66, 196, 0, 215, 0, 0, 0},                // plain_128x128
         {4511, 1103, 369, 0, 486, 670, 25, 19.1, 0, 0, 48, 146, 3.87, 113, 0, 0, 0},         // plain_64x64
         {1807, 1858, 356, 0, 0, 72, 0, 2.24, 0, 9.43, 32, 71, 24, 939, 0, 0, 0},             // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                       // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                       // cp_async
         {1872, 386, 258, 0, 91, 0, 19.7, 28, 471, 12.6, 0, 36, 21, 1053, 8653, 2077, 0},     // small_32x32
         {2018, 0, 255, 0, 295, 267, 61, 14.6, 0, 18.7, 0, 31, 15, 334, 5808, 2254, 0},       // small_64x32
         {526, 2282, 421, 0, 121, 250, 13.5, 41, 0, 9.16, 0, 50, 8.89, 1057, 7881, 2719, 0},  // small_32x64
         {985, 1503, 231, 0, 405, 0, 21, 18.7, 851, 14.2, 0, 44, 4.91, 537, 8489, 2821, 0},   // small_64x64
         {1565, 836, 315, 0, 543, 0, 76, 22, 552, 18.9, 0, 47, 17.6, 853, 9585, 2837, 0},     // small_128x32
         {0, 2894, 407, 0, 991, 891, 12.9, 38, 0, 21, 0, 45, 0, 664, 10983, 4857, 0},         // small_64x128
         {1229, 2613, 1177, 1281, 74692, 0, 0, 0, 0, 0, 40, 213, 3.18, 0, 0, 0, 0},           // slices_64x128
         {1143, 2108, 1291, 1429, 0, 0, 0, 0, 0, 0, 72, 228, 0, 0, 0, 1880, 570},             // slices_64x64
         {843, 2003, 1274, 1984, 0, 0, 0, 0, 0, 0.983, 173, 653, 5.51, 0, 0, 0, 0},           // slices_64x32
         {305, 0, 536, 893, 2979, 196, 0, 0, 0, 0, 1174, 2212, 2.34, 0, 0, 0, 436},           // few_rows
         {4695, 0, 597, 827, 0, 0, 0, 0, 0, 0, 12850, 2100, 23, 0, 0, 976, 469},              // few_columns
         {651, 0, 744, 733, 0, 41, 0, 0, 0, 14.8, 0, 0, 0, 0, 0, 36, 0},                      // vectors
         {1897, 110, 51, 0, 559, 41, 3.46, 21, 0, 0, 21, 24, 1.47, 0, 0, 0, 0},               // short_32x64
         {2191, 0, 50, 0, 692, 51, 3.19, 43, 0, 0, 21, 22, 0.432, 11.5, 0, 0, 0},             // short_32x128
         {2457, 0, 62, 0, 887, 89, 2.71, 81, 0, 0, 26, 28, 0, 591, 0, 0, 0},                  // short_32x256
         {2045, 0, 58, 0, 785, 47, 12.4, 19.8, 0, 0, 15.7, 17.3, 0, 13.2, 0, 0, 0},           // short_64x64
         {2484, 0, 77, 0, 930, 85, 12, 44, 0, 0, 22, 24, 0, 124, 0, 0, 0},                    // short_64x128
         {1811, 381, 75, 0, 1258, 71, 20, 12.5, 0, 0, 19.5, 22, 0.49, 138, 0, 0, 0},          // short_128x64
         {0, 1803, 773, 0, 619, 673, 142, 225, 188, 10.7, 0, 0, 14, 0, 4587, 1704, 178},      // clusters_32x32
         {0, 2268, 263, 0, 0, 324, 0, 151, 171, 6.34, 0, 0, 26, 47, 2984, 1122, 210},         // clusters_8x32
         {0, 2186, 357, 0, 0, 382, 175, 0, 137, 14.3, 0, 0, 10.7, 22, 2991, 1297, 184},       // clusters_32x8
         {0, 4080, 636, 0, 0, 717, 66, 319, 268, 12.4, 0, 40, 7.36, 0, 7171, 1945, 0},        // clusters_32x64
         {4299, 3432, 2169, 2239, 1077, 0, 0, 0, 0, 0, 24, 54, 0, 0, 0, 1159, 114},           // walk_128x256
         {4212, 2942, 2231, 2359, 1333, 0, 0, 0, 0, 0, 24, 84, 0, 0, 0, 1693, 314},           // walk_64x128
         {4212, 3065, 2324, 2452, 1632, 0, 0, 0, 0, 0, 19.6, 72, 0, 0, 0, 1562, 322},         // walk_128x64
         {5109, 2626, 2245, 2209, 0, 0, 0, 0, 0, 0, 34, 273, 0, 0, 0, 1732, 111},             // walk_tn_128x256
         {4941, 3159, 2188, 2325, 0, 0, 0, 0, 0, 0, 28, 218, 0, 0, 0, 2303, 276},             // walk_tn_64x128
         {4765, 3454, 2183, 2326, 0, 0, 0, 0, 0, 0, 22, 212, 0, 0, 0, 1929, 285},             // walk_tn_128x64
         {5966, 2332, 2666, 0, 0, 0, 0, 0, 0, 0, 39, 283, 0, 0, 0, 506, 146},                 // walk_nt_128x256
         {4230, 4225, 2435, 0, 0, 0, 0, 0, 0, 0, 0, 219, 0, 0, 0, 1124, 334},                 // walk_nt_64x128
         {4116, 4313, 2433, 0, 0, 0, 0, 0, 0, 0, 0, 221, 0, 0, 0, 1735, 319},                 // walk_nt_128x64
         {4656, 4365, 2281, 2280, 0, 0, 0, 0, 0, 0, 19.5, 251, 0, 0, 0, 1128, 115},           // walk_tt_256x128
         {4937, 3896, 2322, 2379, 0, 0, 0, 0, 0, 0, 6.51, 228, 0, 0, 0, 1321, 300},           // walk_tt_64x128
         {5158, 3588, 2239, 2364, 0, 0, 0, 0, 0, 0, 12.4, 218, 0, 0, 0, 688, 301},            // walk_tt_128x64
         {2942, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 46, 0, 0, 2923, 76},                         // turned
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
// visit(id, blocks, work, ...) for all of them, and trees, which take the host some 4 us a way, are asked of the 12
// with the least sums of costs, if those are at most 1.25 times the least sum. It is 6 of 27 in the mean, and a choice
// among all is 0.04 % better (notes/90_dispatch.md).
template <class ForEachWay, class Visit>
void for_each_good_way(const CostsOfGpu& costs, const solve_gemm_t& call, const DeviceFigures& device,
                       ForEachWay for_each_way, Visit visit) {
    constexpr double kNear = 1.25;
    constexpr size_t kMost = 12;
    std::vector<double> sums;
    for_each_way([&](WayId id, int, const Work& work, auto&&...) { sums.push_back(costs.sum(id, work)); });
    if (sums.empty()) return;
    const double least = *std::ranges::min_element(sums);
    const auto last = sums.begin() + (std::min(kMost, sums.size()) - 1);
    std::ranges::nth_element(sums, last);
    const double limit = std::min(std::max(kNear * least, least), *last);
    for_each_way([&](WayId id, int blocks, const Work& work, auto&&... more) {
        if (costs.sum(id, work) <= limit) visit(costs.cycles(id, work, call, device), id, blocks, work, more...);
    });
}

}  // namespace ladder
