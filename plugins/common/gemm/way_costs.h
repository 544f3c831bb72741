// The kernels that 67, 77, 79 and 90 choose among, each with its tile, and what their work costs (work.h), measured.
#pragma once

#include <cstddef>
#include <iterator>

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
    walk_tn_128x256,  // 88, by the operands that are transposed
    walk_tn_64x128,
    walk_nt_128x256,
    walk_nt_64x128,
    walk_tt_256x128,
    walk_tt_64x128,
    turned,      // 89, without the product
    one_by_one,  // has no costs of its own
};
constexpr const char* kWayNames[] = {
    "plain_128x128",  "plain_64x64",     "plain_16x16",    "warp_tile",       "cp_async",       "small_32x32",
    "small_64x32",    "small_32x64",     "small_64x64",    "slices_64x128",   "slices_64x64",   "slices_64x32",
    "few_rows",       "few_columns",     "vectors",        "short_32x64",     "short_32x128",   "short_32x256",
    "short_64x64",    "short_64x128",    "short_128x64",   "clusters_32x32",  "clusters_8x32",  "clusters_32x8",
    "clusters_32x64", "walk_128x256",    "walk_64x128",    "walk_tn_128x256", "walk_tn_64x128", "walk_nt_128x256",
    "walk_nt_64x128", "walk_tt_256x128", "walk_tt_64x128", "turned",          "one_by_one"};
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
    const CostTree (*trees)[kTreesOfWay] = nullptr;  // a way's each, if there are any

    double cycles(WayId id, const Work& work) const {
        const auto way = static_cast<size_t>(id);
        return cycles_of(of[way], work) * (trees ? factor_of(trees[way], of[way], work) : 1);
    }
};

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb,
// crowded, packed, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3
         {3884, 5257, 413, 0, 0, 1192, 0, 25, 0, 0, 55, 209, 2.63, 0, 0, 0, 0},  // plain_128x128
         {3346, 2577, 385, 0, 189, 657, 26, 26, 0, 0, 46, 179, 6.05, 558, 0, 0, 0},  // plain_64x64
         {1975, 1781, 374, 0, 0, 71, 0.0805, 2.67, 0, 9.39, 31, 78, 29, 928, 0, 0, 0},  // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},  // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},  // cp_async
         {1592, 623, 291, 0, 112, 150, 21, 26, 0.0309, 9.91, 0.99, 42, 12.3, 570, 4421, 2877, 0},  // small_32x32
         {2036, 0, 317, 0, 231, 248, 56, 29, 0.0273, 18.2, 9.75, 44, 15.3, 441, 3227, 3102, 0},  // small_64x32
         {2059, 350, 499, 0, 217, 249, 25, 65, 0.0205, 8.63, 2.8, 49, 8.5, 526, 2961, 3972, 0},  // small_32x64
         {1593, 519, 351, 0, 388, 535, 43, 46, 0.986, 11, 14.5, 60, 0, 147, 5152, 3883, 0},  // small_64x64
         {1123, 2908, 1179, 1289, 116228, 0, 0, 0, 0, 0, 33, 203, 2.52, 0, 0, 0, 0},  // slices_64x128
         {914, 2566, 1297, 1423, 0, 0, 0, 0, 0, 0.759, 38, 203, 0, 0, 0, 1970, 503},  // slices_64x64
         {921, 2211, 1265, 1933, 0, 0, 0, 0, 0, 1.51, 142, 576, 8.45, 0, 0, 0, 0},  // slices_64x32
         {3524, 0, 663, 1070, 0, 0, 0, 0, 0, 0, 827, 1433, 11.8, 0, 0, 0, 0},  // few_rows
         {4101, 0, 663, 887, 0, 0, 0, 0, 0, 0, 3876, 2058, 27, 0, 0, 1009, 0},  // few_columns
         {191, 0, 1113, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // vectors
         {1919, 285, 52, 0, 533, 39, 3.58, 20, 0, 0, 18.8, 21, 2.93, 0, 0, 0, 0},  // short_32x64
         {2221, 127, 51, 0, 672, 49, 3.3, 43, 0, 0, 22, 24, 0.64, 41, 0, 0, 0},  // short_32x128
         {2479, 0, 72, 0, 996, 76, 4.01, 82, 0, 0, 31, 34, 0, 349, 0, 0, 0},  // short_32x256
         {2116, 116, 60, 0, 729, 44, 12.7, 21, 0, 0, 19.1, 21, 0.574, 0, 0, 0, 0},  // short_64x64
         {2569, 0, 89, 0, 914, 71, 15, 47, 0, 0, 26, 27, 7.44, 423, 0, 0, 0},  // short_64x128
         {1725, 780, 71, 0, 1040, 71, 20, 12.6, 0, 0, 25, 28, 0.0909, 276, 0, 0, 0},  // short_128x64
         {0, 2368, 839, 0, 0, 731, 171, 278, 153, 9.4, 0, 0, 7.07, 100, 3278, 2114, 250},  // clusters_32x32
         {673, 1753, 369, 0, 0, 310, 18.3, 169, 130, 6.69, 0, 0, 38, 153, 2516, 1693, 247},  // clusters_8x32
         {786, 1630, 532, 0, 0, 269, 193, 0, 109, 15.2, 0, 0, 25, 277, 2641, 1732, 260},  // clusters_32x8
         {1119, 2644, 667, 0, 0, 820, 90, 309, 204, 10.7, 0, 66, 4.03, 0, 6028, 2142, 0.505},  // clusters_32x64
         {4417, 2885, 2178, 2261, 714, 0, 0, 0, 0, 0, 36, 63, 0, 0, 0, 416, 113},  // walk_128x256
         {4144, 2801, 2259, 2375, 1134, 0, 0, 0, 0, 0, 26, 83, 0, 0, 0, 1746, 294},  // walk_64x128
         {5450, 1871, 2222, 2191, 0, 0, 0, 0, 0, 0, 49, 309, 0, 0, 0, 1400, 120},  // walk_tn_128x256
         {4859, 3252, 2201, 2313, 0, 0, 0, 0, 0, 0, 22, 249, 0, 0, 0, 602, 321},  // walk_tn_64x128
         {5575, 2860, 2656, 0, 0, 0, 0, 0, 0, 0, 46, 299, 0, 0, 0, 0, 147},  // walk_nt_128x256
         {4345, 3916, 2434, 0, 0, 0, 0, 0, 0, 0, 8.49, 271, 0, 0, 0, 838, 342},  // walk_nt_64x128
         {4053, 4376, 2284, 2275, 0, 0, 0, 0, 0, 0, 27, 300, 0, 0, 0, 1967, 114},  // walk_tt_256x128
         {4262, 4094, 2321, 2380, 0, 0, 0, 0, 0, 0, 0, 267, 0, 0, 0, 952, 316},  // walk_tt_64x128
         {2968, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 2963, 75},  // turned
     },
     kTreesOf90},
};

inline const CostsOfGpu& costs_for(int capability) {
    const CostsOfGpu* found = kCostsOfGpus;
    for (const CostsOfGpu& each : kCostsOfGpus) {
        if (each.capability <= capability && each.capability > found->capability) found = &each;
    }
    return *found;
}

}  // namespace ladder
