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
         {4555, 4183, 414, 0, 0, 1200, 0, 22, 0, 0, 65, 194, 0, 229, 0, 0, 0},                // plain_128x128
         {4430, 1197, 371, 0, 475, 670, 25, 19.7, 0, 0, 48, 144, 3.73, 109, 0, 0, 0},         // plain_64x64
         {1804, 1858, 358, 0, 0, 71, 0, 2.4, 0, 9.41, 32, 71, 24, 936, 0, 0, 0},              // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                       // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                       // cp_async
         {1874, 379, 259, 0, 93, 0, 19.9, 29, 470, 12.4, 0, 36, 21, 1030, 8579, 2080, 0},     // small_32x32
         {2017, 0, 255, 0, 295, 268, 61, 14.4, 0, 18.5, 0, 32, 14.9, 330, 5766, 2256, 0},     // small_64x32
         {531, 2273, 423, 0, 122, 250, 13.7, 41, 0, 8.99, 0, 50, 8.91, 1052, 7785, 2723, 0},  // small_32x64
         {1000, 1484, 229, 0, 408, 0, 22, 19.1, 854, 13.9, 0, 44, 4.74, 529, 8416, 2825, 0},  // small_64x64
         {1552, 852, 313, 0, 539, 0, 76, 23, 554, 18.6, 0, 47, 17.4, 855, 9503, 2841, 0},     // small_128x32
         {0, 2892, 399, 0, 982, 900, 13.2, 37, 0, 20, 0, 45, 0, 696, 10882, 4882, 0},         // small_64x128
         {1205, 2639, 1177, 1280, 75486, 0, 0, 0, 0, 0, 40, 211, 3.28, 0, 0, 0, 0},           // slices_64x128
         {1122, 2130, 1291, 1428, 0, 0, 0, 0, 0, 0, 71, 228, 0, 0, 0, 1882, 569},             // slices_64x64
         {836, 2010, 1274, 1984, 0, 0, 0, 0, 0, 0.962, 172, 656, 5.41, 0, 0, 0, 0},           // slices_64x32
         {3010, 0, 707, 1080, 0, 0, 0, 0, 0, 0, 1145, 2264, 0, 0, 0, 0, 0},                   // few_rows
         {4652, 0, 604, 833, 0, 0, 0, 0, 0, 0, 13373, 2101, 23, 0, 0, 1268, 0},               // few_columns
         {158, 0, 1010, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                            // vectors
         {1897, 110, 51, 0, 560, 41, 3.42, 21, 0, 0, 21, 24, 1.49, 0, 0, 0, 0},               // short_32x64
         {2190, 0, 50, 0, 693, 51, 3.14, 43, 0, 0, 21, 22, 0.459, 11.4, 0, 0, 0},             // short_32x128
         {2455, 0, 62, 0, 890, 89, 2.57, 81, 0, 0, 26, 28, 0, 589, 0, 0, 0},                  // short_32x256
         {2044, 0, 58, 0, 786, 47, 12.4, 19.8, 0, 0, 15.6, 17.3, 0, 12.3, 0, 0, 0},           // short_64x64
         {2484, 0, 77, 0, 932, 85, 11.9, 44, 0, 0, 22, 24, 0, 122, 0, 0, 0},                  // short_64x128
         {1811, 380, 75, 0, 1259, 71, 20, 12.5, 0, 0, 19.5, 22, 0.49, 137, 0, 0, 0},          // short_128x64
         {0, 1802, 777, 0, 615, 673, 143, 225, 187, 10.6, 0, 0, 13.8, 0, 4562, 1710, 177},    // clusters_32x32
         {0, 2270, 260, 0, 0, 326, 0, 151, 171, 6.32, 0, 0, 26, 43, 2976, 1123, 210},         // clusters_8x32
         {0, 2186, 359, 0, 0, 377, 177, 0, 139, 14.4, 0, 0, 10.3, 24, 2978, 1299, 184},       // clusters_32x8
         {0, 4063, 637, 0, 0, 722, 67, 320, 266, 12.2, 0, 42, 7.32, 0, 7102, 1966, 0},        // clusters_32x64
         {4293, 3445, 2169, 2238, 1075, 0, 0, 0, 0, 0, 24, 54, 0, 0, 0, 951, 115},            // walk_128x256
         {4190, 2963, 2232, 2357, 1332, 0, 0, 0, 0, 0, 23, 83, 0, 0, 0, 1661, 314},           // walk_64x128
         {4190, 3083, 2324, 2450, 1634, 0, 0, 0, 0, 0, 19, 71, 0, 0, 0, 1536, 323},           // walk_128x64
         {5104, 2621, 2246, 2207, 0, 0, 0, 0, 0, 0, 34, 270, 0, 0, 0, 1835, 110},             // walk_tn_128x256
         {4883, 3206, 2188, 2326, 0, 0, 0, 0, 0, 0, 27, 215, 0, 0, 0, 2271, 278},             // walk_tn_64x128
         {4719, 3481, 2184, 2326, 0, 0, 0, 0, 0, 0, 21, 211, 0, 0, 0, 1878, 286},             // walk_tn_128x64
         {5955, 2335, 2666, 0, 0, 0, 0, 0, 0, 0, 39, 282, 0, 0, 0, 473, 146},                 // walk_nt_128x256
         {4216, 4227, 2436, 0, 0, 0, 0, 0, 0, 0, 0, 217, 0, 0, 0, 1123, 334},                 // walk_nt_64x128
         {4118, 4311, 2432, 0, 0, 0, 0, 0, 0, 0, 0, 220, 0, 0, 0, 1652, 321},                 // walk_nt_128x64
         {4663, 4342, 2282, 2281, 0, 0, 0, 0, 0, 0, 19.7, 252, 0, 0, 0, 1184, 114},           // walk_tt_256x128
         {4926, 3901, 2323, 2381, 0, 0, 0, 0, 0, 0, 6.39, 228, 0, 0, 0, 1318, 299},           // walk_tt_64x128
         {5134, 3610, 2239, 2364, 0, 0, 0, 0, 0, 0, 11.8, 217, 0, 0, 0, 691, 299},            // walk_tt_128x64
         {2943, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 46, 0, 0, 2922, 76},                         // turned
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
