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
    clusters_16x32,
    clusters_32x16,
    clusters_20x64,
    clusters_64x20,
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
    "plain_128x128",  "plain_64x64",     "plain_16x16",    "warp_tile",      "cp_async",        "small_32x32",
    "small_64x32",    "small_32x64",     "small_64x64",    "small_128x32",   "small_64x128",    "slices_64x128",
    "slices_64x64",   "slices_64x32",    "few_rows",       "few_columns",    "vectors",         "short_32x64",
    "short_32x128",   "short_32x256",    "short_64x64",    "short_64x128",   "short_128x64",    "clusters_32x32",
    "clusters_8x32",  "clusters_32x8",   "clusters_32x64", "clusters_16x32", "clusters_32x16",  "clusters_20x64",
    "clusters_64x20", "walk_128x256",    "walk_64x128",    "walk_128x64",    "walk_tn_128x256", "walk_tn_64x128",
    "walk_tn_128x64", "walk_nt_128x256", "walk_nt_64x128", "walk_nt_128x64", "walk_tt_256x128", "walk_tt_64x128",
    "walk_tt_128x64", "turned",          "one_by_one"};
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
         {4612, 4271, 424, 0, 0, 1192, 0, 22, 0, 0, 64, 197, 0, 271, 0, 0, 0},              // plain_128x128
         {4811, 317, 390, 0, 595, 660, 27, 23, 0, 0, 55, 159, 3.76, 80, 0, 0, 0},           // plain_64x64
         {1870, 1891, 346, 0, 0, 67, 0, 2.14, 0, 11.8, 31, 78, 26, 945, 0, 0, 0},           // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                     // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                     // cp_async
         {1943, 709, 258, 0, 52, 0, 18.1, 28, 431, 17.2, 0, 39, 27, 1050, 8393, 2302, 0},   // small_32x32
         {2335, 0, 256, 0, 269, 254, 60, 11.7, 0, 22, 0, 36, 17.5, 239, 5716, 2502, 0},     // small_64x32
         {585, 2744, 416, 0, 54, 237, 13.9, 41, 0, 12.5, 0, 56, 11.4, 883, 8163, 2691, 0},  // small_32x64
         {970, 1968, 239, 0, 313, 0, 20, 15.3, 823, 17.6, 0, 50, 5.6, 400, 8667, 2757, 0},  // small_64x64
         {1566, 1205, 329, 0, 467, 0, 73, 21, 523, 22, 0, 54, 19.1, 715, 9681, 2794, 0},    // small_128x32
         {0, 2873, 433, 0, 1072, 837, 11.9, 41, 0, 27, 0, 47, 0, 521, 10754, 4729, 0},      // small_64x128
         {1575, 2256, 1178, 1282, 78827, 0, 0, 0, 0, 0, 50, 223, 3.89, 0, 0, 0, 0},         // slices_64x128
         {1640, 1667, 1292, 1429, 0, 0, 0, 0, 0, 0, 90, 257, 0, 0, 0, 1986, 577},           // slices_64x64
         {1093, 2015, 1265, 1979, 0, 0, 0, 0, 0, 1.17, 161, 679, 5.54, 0, 0, 0, 0},         // slices_64x32
         {1242, 0, 498, 880, 1982, 274, 0, 0, 0, 0, 1237, 2005, 4.95, 0, 0, 153, 625},      // few_rows
         {4443, 0, 617, 876, 0, 0, 0, 0, 0, 0, 5901, 2518, 25, 0, 0, 695, 915},             // few_columns
         {573, 0, 813, 834, 0, 32, 0, 0, 0, 15.2, 0, 0, 0, 0, 0, 156, 0},                   // vectors
         {2036, 169, 51, 0, 455, 41, 4.17, 21, 0, 0, 30, 33, 4.02, 0, 0, 0, 0},             // short_32x64
         {2389, 0, 49, 0, 584, 50, 3.83, 45, 0, 0, 27, 29, 2.35, 93, 0, 0, 0},              // short_32x128
         {2667, 0, 60, 0, 791, 85, 4.2, 84, 0, 0, 30, 34, 0, 607, 0, 0, 0},                 // short_32x256
         {2240, 0, 58, 0, 674, 45, 13.5, 21, 0, 0, 22, 24, 1.18, 82, 0, 0, 0},              // short_64x64
         {2643, 0, 79, 0, 825, 80, 13.7, 47, 0, 0, 27, 29, 0.835, 231, 0, 0, 0},            // short_64x128
         {2060, 302, 75, 0, 1142, 68, 22, 13.3, 0, 0, 24, 28, 1.75, 220, 0, 0, 0},          // short_128x64
         {0, 2258, 717, 0, 320, 674, 125, 222, 202, 12.8, 0, 0, 15.6, 0, 4039, 2153, 248},  // clusters_32x32
         {0, 2368, 252, 0, 0, 302, 0, 129, 193, 7.63, 0, 0, 34, 0, 2489, 1646, 282},        // clusters_8x32
         {120, 2172, 355, 0, 0, 356, 144, 0, 167, 16.3, 0, 0, 16.8, 0, 2494, 1801, 261},    // clusters_32x8
         {0, 4263, 702, 0, 0, 596, 76, 318, 284, 16.2, 0, 40, 9.92, 0, 6876, 2100, 87},     // clusters_32x64
         {0, 1841, 438, 0, 541, 384, 0, 164, 174, 21, 0, 0, 0, 0, 1796, 1339, 209},         // clusters_16x32
         {0, 2139, 404, 0, 471, 414, 119, 94, 131, 23, 0, 0, 0, 0, 1767, 1256, 214},        // clusters_32x16
         {0, 2404, 739, 0, 753, 187, 0, 179, 297, 24, 0, 60, 0, 0, 2884, 1378, 91},         // clusters_20x64
         {0, 3922, 820, 0, 662, 330, 67, 0, 239, 28, 0, 0, 0, 0, 2720, 1124, 0},            // clusters_64x20
         {4188, 3614, 2166, 2220, 719, 0, 0, 0, 0, 0, 26, 55, 0, 0, 0, 1874, 111},          // walk_128x256
         {4400, 2886, 2232, 2357, 1316, 0, 0, 0, 0, 0, 27, 82, 0, 0, 0, 1566, 319},         // walk_64x128
         {4474, 2937, 2326, 2444, 1620, 0, 0, 0, 0, 0, 25, 72, 0, 0, 0, 1243, 332},         // walk_128x64
         {5373, 2707, 2155, 2132, 0, 0, 0, 0, 0, 0, 36, 283, 0, 0, 0, 2024, 109},           // walk_tn_128x256
         {5295, 3034, 2191, 2327, 0, 0, 0, 0, 0, 0, 30, 238, 0, 0, 0, 1462, 289},           // walk_tn_64x128
         {5130, 3277, 2185, 2330, 0, 0, 0, 0, 0, 0, 26, 229, 0, 0, 0, 1625, 287},           // walk_tn_128x64
         {6437, 1984, 2502, 0, 0, 0, 0, 0, 0, 0, 45, 289, 0, 0, 0, 1450, 138},              // walk_nt_128x256
         {4672, 4053, 2436, 0, 0, 0, 0, 0, 0, 0, 3.26, 238, 0, 0, 0, 987, 333},             // walk_nt_64x128
         {4615, 4189, 2434, 0, 0, 0, 0, 0, 0, 0, 1.5, 237, 0, 0, 0, 1483, 319},             // walk_nt_128x64
         {5406, 3460, 2142, 2140, 0, 0, 0, 0, 0, 0, 28, 266, 0, 0, 0, 1868, 111},           // walk_tt_256x128
         {5075, 4025, 2321, 2375, 0, 0, 0, 0, 0, 0, 2.93, 238, 0, 0, 0, 1032, 305},         // walk_tt_64x128
         {5414, 3467, 2247, 2356, 0, 0, 0, 0, 0, 0, 15, 235, 0, 0, 0, 531, 301},            // walk_tt_128x64
         {2967, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 2934, 78},                       // turned
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
