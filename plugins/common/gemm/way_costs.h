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

    // What is expected of a way at a call, by the first `most` trees.
    double cycles(WayId id, const Work& work, const solve_gemm_t& call, const DeviceFigures& device,
                  size_t most = SIZE_MAX) const {
        const auto way = static_cast<int>(id);
        return sum(id, work) * factor_of(trees, way, of[way], work, call, device, most);
    }
};

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb,
// crowded, packed, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3 and H200
         {4612, 4271, 424, 0, 0, 1192, 0, 22, 0, 0, 64, 197, 0, 271, 0, 0, 0},                 // plain_128x128
         {4811, 317, 390, 0, 595, 660, 27, 23, 0, 0, 55, 159, 3.76, 80, 0, 0, 0},              // plain_64x64
         {1870, 1891, 346, 0, 0, 67, 0, 2.14, 0, 11.8, 31, 78, 26, 945, 0, 0, 0},              // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                        // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                        // cp_async
         {1391, 910, 273, 0, 85, 119, 24, 25, 0.647, 19.4, 0, 38, 15.4, 828, 7307, 567, 290},  // small_32x32
         {1980, 194, 235, 0, 166, 258, 60, 22, 0, 21, 15.6, 54, 13.2, 239, 6414, 791, 309},    // small_64x32
         {802, 1943, 397, 0, 158, 181, 18.1, 42, 0, 22, 0, 63, 14, 719, 7566, 581, 310},       // small_32x64
         {1303, 1171, 244, 0, 452, 483, 17.3, 25, 0, 22, 0, 56, 6.8, 379, 7509, 1043, 278},    // small_64x64
         {1727, 591, 303, 0, 605, 439, 74, 21, 0, 19.9, 0, 55, 14, 616, 8749, 1003, 300},      // small_128x32
         {0, 2823, 328, 0, 1021, 845, 9.44, 58, 0.114, 28, 0, 48, 0, 554, 9512, 0, 614},       // small_64x128
         {945, 3426, 1181, 1260, 335835, 0, 0, 0, 0, 0, 11.9, 70, 6.01, 0, 0, 0, 0},           // slices_64x128
         {1023, 2477, 1300, 1442, 0, 0, 0, 0, 0, 0, 52, 94, 0, 0, 0, 1945, 446},               // slices_64x64
         {444, 2104, 1294, 2056, 0, 0, 0, 0, 0, 0, 188, 495, 3.69, 0, 0, 0, 0},                // slices_64x32
         {1242, 0, 498, 880, 1982, 274, 0, 0, 0, 0, 1237, 2005, 4.95, 0, 0, 153, 625},         // few_rows
         {4443, 0, 617, 876, 0, 0, 0, 0, 0, 0, 5901, 2518, 25, 0, 0, 695, 915},                // few_columns
         {573, 0, 813, 834, 0, 32, 0, 0, 0, 15.2, 0, 0, 0, 0, 0, 156, 0},                      // vectors
         {2036, 169, 51, 0, 455, 41, 4.17, 21, 0, 0, 30, 33, 4.02, 0, 0, 0, 0},                // short_32x64
         {2389, 0, 49, 0, 584, 50, 3.83, 45, 0, 0, 27, 29, 2.35, 93, 0, 0, 0},                 // short_32x128
         {2667, 0, 60, 0, 791, 85, 4.2, 84, 0, 0, 30, 34, 0, 607, 0, 0, 0},                    // short_32x256
         {2240, 0, 58, 0, 674, 45, 13.5, 21, 0, 0, 22, 24, 1.18, 82, 0, 0, 0},                 // short_64x64
         {2643, 0, 79, 0, 825, 80, 13.7, 47, 0, 0, 27, 29, 0.835, 231, 0, 0, 0},               // short_64x128
         {2060, 302, 75, 0, 1142, 68, 22, 13.3, 0, 0, 24, 28, 1.75, 220, 0, 0, 0},             // short_128x64
         {0, 2258, 717, 0, 320, 674, 125, 222, 202, 12.8, 0, 0, 15.6, 0, 4039, 2153, 248},     // clusters_32x32
         {0, 2368, 252, 0, 0, 302, 0, 129, 193, 7.63, 0, 0, 34, 0, 2489, 1646, 282},           // clusters_8x32
         {120, 2172, 355, 0, 0, 356, 144, 0, 167, 16.3, 0, 0, 16.8, 0, 2494, 1801, 261},       // clusters_32x8
         {0, 4263, 702, 0, 0, 596, 76, 318, 284, 16.2, 0, 40, 9.92, 0, 6876, 2100, 87},        // clusters_32x64
         {0, 1841, 438, 0, 541, 384, 0, 164, 174, 21, 0, 0, 0, 0, 1796, 1339, 209},            // clusters_16x32
         {0, 2139, 404, 0, 471, 414, 119, 94, 131, 23, 0, 0, 0, 0, 1767, 1256, 214},           // clusters_32x16
         {0, 2404, 739, 0, 753, 187, 0, 179, 297, 24, 0, 60, 0, 0, 2884, 1378, 91},            // clusters_20x64
         {0, 3922, 820, 0, 662, 330, 67, 0, 239, 28, 0, 0, 0, 0, 2720, 1124, 0},               // clusters_64x20
         {4188, 3614, 2166, 2220, 719, 0, 0, 0, 0, 0, 26, 55, 0, 0, 0, 1874, 111},             // walk_128x256
         {4400, 2886, 2232, 2357, 1316, 0, 0, 0, 0, 0, 27, 82, 0, 0, 0, 1566, 319},            // walk_64x128
         {4474, 2937, 2326, 2444, 1620, 0, 0, 0, 0, 0, 25, 72, 0, 0, 0, 1243, 332},            // walk_128x64
         {6394, 1800, 2184, 2195, 0, 0, 0, 0, 0, 0, 33, 95, 0, 0, 0, 4899, 86},                // walk_tn_128x256
         {5050, 4136, 2183, 2294, 0, 0, 0, 0, 0, 0, 0, 91, 0, 0, 0, 5308, 180},                // walk_tn_64x128
         {5055, 4091, 2176, 2310, 0, 0, 0, 0, 0, 0, 3.79, 91, 0, 0, 0, 3430, 229},             // walk_tn_128x64
         {6811, 3989, 2496, 0, 0, 0, 0, 0, 0, 0, 24, 247, 0, 0, 0, 5755, 98},                  // walk_nt_128x256
         {3810, 4991, 2385, 0, 0, 0, 0, 0, 0, 0, 0, 91, 0, 0, 0, 587, 366},                    // walk_nt_64x128
         {3861, 4902, 2395, 0, 0, 0, 0, 0, 0, 0, 0, 95, 0, 0, 0, 2996, 293},                   // walk_nt_128x64
         {6006, 2123, 2146, 2215, 0, 0, 0, 0, 0, 0, 31, 91, 0, 0, 0, 6639, 82},                // walk_tt_256x128
         {3873, 5061, 2289, 2404, 0, 0, 0, 0, 0, 0, 0, 94, 0, 0, 0, 0, 355},                   // walk_tt_64x128
         {4760, 4405, 2218, 2313, 0, 0, 0, 0, 0, 0, 0, 92, 0, 0, 0, 3151, 252},                // walk_tt_128x64
         {2967, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 2934, 78},                          // turned
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
// visit(id, blocks, work, ...) for all of them. The first 8 trees are asked of those with sums up to twice the least
// one, and all 64 of the 12 that are the fastest by that, if it is at most 1.2 times the least. That is 6 of 27 in the
// mean, and choices are as near to the fastest way as with all trees asked of all ways (notes/90_dispatch.md).
template <class ForEachWay, class Visit>
void for_each_good_way(const CostsOfGpu& costs, const solve_gemm_t& call, const DeviceFigures& device,
                       ForEachWay for_each_way, Visit visit) {
    constexpr double kFar = 2, kNear = 1.2;
    constexpr size_t kMost = 12, kFirstTrees = 8;
    std::vector<double> roughly;
    for_each_way([&](WayId id, int, const Work& work, auto&&...) { roughly.push_back(costs.sum(id, work)); });
    if (roughly.empty()) return;
    const double least_sum = std::ranges::min(roughly);
    double* way = roughly.data();
    for_each_way([&](WayId id, int, const Work& work, auto&&...) {
        *way = *way <= kFar * least_sum ? costs.cycles(id, work, call, device, kFirstTrees) : kNever;
        ++way;
    });
    std::vector<double> sorted = roughly;
    std::ranges::nth_element(sorted, sorted.begin() + (std::min(kMost, sorted.size()) - 1));
    const double limit = std::min(kNear * std::ranges::min(sorted), sorted[std::min(kMost, sorted.size()) - 1]);
    way = roughly.data();
    for_each_way([&](WayId id, int blocks, const Work& work, auto&&... more) {
        if (*way++ <= limit) visit(costs.cycles(id, work, call, device), id, blocks, work, more...);
    });
}

}  // namespace ladder
