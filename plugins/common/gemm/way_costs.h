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
         {4546, 4298, 427, 0, 0, 1192, 0, 21, 0, 0, 64, 196, 0, 340, 0, 0, 0},  // plain_128x128
         {4678, 587, 385, 0, 565, 663, 27, 22, 0, 0, 53, 154, 3.44, 105, 0, 0, 0},  // plain_64x64
         {1887, 1870, 347, 0, 0, 68, 0, 2.25, 0, 11.1, 30, 78, 26, 947, 0, 0, 0},  // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},  // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},  // cp_async
         {1932, 639, 258, 0, 61, 0, 18.9, 28, 444, 15.7, 0, 39, 25, 1054, 8462, 2297, 0},  // small_32x32
         {2270, 0, 256, 0, 276, 259, 60, 12, 0, 21, 0, 35, 16.8, 268, 5736, 2487, 0},  // small_64x32
         {593, 2594, 417, 0, 75, 239, 14.4, 41, 0, 11.8, 0, 55, 11, 944, 8064, 2769, 0},  // small_32x64
         {979, 1838, 237, 0, 342, 532, 21, 15.7, 0, 16.7, 0, 49, 5.26, 440, 8576, 2831, 0},  // small_64x64
         {1588, 1085, 326, 0, 495, 0, 74, 21, 532, 21, 0, 52, 18.7, 753, 9618, 2839, 0},  // small_128x32
         {0, 2865, 426, 0, 1064, 852, 11.6, 39, 0, 26, 0, 47, 0, 546, 10854, 4771, 0},  // small_64x128
         {1476, 2369, 1178, 1282, 84020, 0, 0, 0, 0, 0, 47, 221, 3.72, 0, 0, 0, 0},  // slices_64x128
         {1498, 1811, 1292, 1432, 0, 0, 0, 0, 0, 0, 84, 247, 0, 0, 0, 1980, 575},  // slices_64x64
         {1033, 1963, 1278, 1991, 0, 0, 0, 0, 0, 0.659, 170, 689, 5.5, 0, 0, 0, 0},  // slices_64x32
         {1139, 0, 507, 889, 2052, 260, 0, 0, 0, 0, 1276, 2152, 3.82, 0, 0, 113, 620},  // few_rows
         {4463, 0, 623, 884, 0, 0, 0, 0, 0, 0, 5448, 2320, 23, 0, 0, 1016, 652},  // few_columns
         {613, 0, 796, 816, 0, 33, 0, 0, 0, 15.4, 0, 0, 0, 0, 0, 144, 0},  // vectors
         {2026, 152, 51, 0, 486, 41, 4.1, 21, 0, 0, 27, 30, 3.7, 0, 0, 0, 0},  // short_32x64
         {2364, 0, 49, 0, 615, 51, 3.66, 44, 0, 0, 25, 27, 1.95, 63, 0, 0, 0},  // short_32x128
         {2635, 0, 60, 0, 823, 86, 3.7, 82, 0, 0, 29, 33, 0, 603, 0, 0, 0},  // short_32x256
         {2206, 0, 58, 0, 714, 46, 13.2, 21, 0, 0, 19.8, 22, 0.704, 50, 0, 0, 0},  // short_64x64
         {2621, 0, 79, 0, 861, 81, 13.3, 46, 0, 0, 25, 28, 0.57, 192, 0, 0, 0},  // short_64x128
         {2012, 315, 75, 0, 1192, 69, 22, 13.1, 0, 0, 23, 26, 1.36, 191, 0, 0, 0},  // short_128x64
         {0, 2210, 730, 0, 353, 670, 131, 218, 202, 12.3, 0, 0, 15, 0, 4209, 2022, 262},  // clusters_32x32
         {0, 2363, 252, 0, 0, 303, 0, 136, 193, 7.28, 0, 0, 32, 0, 2625, 1550, 285},  // clusters_8x32
         {74, 2211, 356, 0, 0, 349, 153, 0, 171, 15.7, 0, 0, 15.3, 0, 2626, 1710, 260},  // clusters_32x8
         {0, 4205, 689, 0, 0, 621, 75, 320, 284, 15.3, 0, 40, 9.36, 0, 6992, 2002, 105},  // clusters_32x64
         {4304, 3474, 2167, 2226, 809, 0, 0, 0, 0, 0, 27, 55, 0, 0, 0, 1606, 112},  // walk_128x256
         {4362, 2902, 2232, 2360, 1307, 0, 0, 0, 0, 0, 27, 83, 0, 0, 0, 1647, 319},  // walk_64x128
         {4427, 2959, 2326, 2448, 1607, 0, 0, 0, 0, 0, 24, 73, 0, 0, 0, 1366, 330},  // walk_128x64
         {5345, 2723, 2237, 2212, 0, 0, 0, 0, 0, 0, 36, 284, 0, 0, 0, 1751, 113},  // walk_tn_128x256
         {5293, 2999, 2190, 2323, 0, 0, 0, 0, 0, 0, 32, 240, 0, 0, 0, 1581, 289},  // walk_tn_64x128
         {5126, 3256, 2184, 2328, 0, 0, 0, 0, 0, 0, 27, 230, 0, 0, 0, 1514, 293},  // walk_tn_128x64
         {6300, 2020, 2663, 0, 0, 0, 0, 0, 0, 0, 45, 287, 0, 0, 0, 1266, 140},  // walk_nt_128x256
         {4531, 4129, 2436, 0, 0, 0, 0, 0, 0, 0, 1.41, 232, 0, 0, 0, 1025, 334},  // walk_nt_64x128
         {4429, 4278, 2432, 0, 0, 0, 0, 0, 0, 0, 0, 232, 0, 0, 0, 1443, 324},  // walk_nt_128x64
         {5243, 3727, 2281, 2282, 0, 0, 0, 0, 0, 0, 25, 260, 0, 0, 0, 1500, 113},  // walk_tt_256x128
         {5012, 4053, 2324, 2382, 0, 0, 0, 0, 0, 0, 2.29, 232, 0, 0, 0, 978, 305},  // walk_tt_64x128
         {5334, 3527, 2246, 2360, 0, 0, 0, 0, 0, 0, 13.8, 230, 0, 0, 0, 641, 301},  // walk_tt_128x64
         {2980, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 53, 0, 0, 2942, 78},  // turned
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
