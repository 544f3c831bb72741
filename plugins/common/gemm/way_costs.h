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
        return cycles_of(of[way], work) * (trees ? factor_of(trees[way], work) : 1);
    }
};

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb,
// crowded, packed, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3
         {4314, 4085, 447, 0, 0, 1174, 0, 18.1, 0, 0, 69, 238, 0, 0, 0, 0, 0},                       // plain_128x128
         {3523, 2386, 387, 0, 177, 655, 25, 14.3, 0, 0, 50, 192, 7.21, 232, 0, 0, 0},                // plain_64x64
         {1970, 1721, 397, 0, 0, 64, 0, 1.5, 0, 11.2, 37, 91, 30, 893, 0, 0, 0},                     // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                              // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                              // cp_async
         {1507, 907, 286, 0, 46, 159, 15.1, 22, 0.0103, 8.27, 8.51, 56, 12.3, 622, 4447, 2691, 0},   // small_32x32
         {1780, 515, 297, 0, 93, 271, 49, 29, 0.201, 15.4, 16.5, 56, 12.9, 592, 3567, 2909, 0},      // small_64x32
         {1503, 1186, 479, 0, 95, 280, 19.3, 65, 0.0631, 4.03, 3.62, 56, 6.85, 632, 3003, 3685, 0},  // small_32x64
         {1184, 1260, 318, 0, 189, 570, 37, 44, 0, 7.44, 16.3, 68, 0, 288, 4851, 3642, 0},           // small_64x64
         {1087, 2910, 1170, 1282, 168473, 0, 0, 0, 0, 0, 33, 211, 5.09, 0, 0, 0, 0},                 // slices_64x128
         {801, 2668, 1288, 1423, 0, 0, 0, 0, 0, 0, 40, 209, 0, 0, 0, 1962, 557},                     // slices_64x64
         {898, 2495, 1232, 1917, 0, 0, 0, 0, 0, 2.73, 114, 597, 2.35, 0, 0, 0, 0},                   // slices_64x32
         {3320, 0, 600, 1141, 0, 0, 0, 0, 0, 0, 1129, 1031, 30, 0, 0, 0, 0},                         // few_rows
         {4195, 0, 715, 858, 0, 0, 0, 0, 0, 0, 3818, 4556, 31, 0, 0, 1759, 0},                       // few_columns
         {0, 0, 1160, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                     // vectors
         {1901, 404, 53, 0, 409, 40, 3.19, 19.4, 0, 0, 30, 33, 4.68, 41, 0, 0, 0},                   // short_32x64
         {2342, 48, 51, 0, 634, 49, 2.79, 42, 0, 0, 23, 25, 4.91, 206, 0, 0, 0},                     // short_32x128
         {2538, 0, 67, 0, 920, 79, 3.67, 83, 0, 0, 32, 36, 0, 497, 0, 0, 0},                         // short_32x256
         {2261, 0, 60, 0, 689, 44, 12.7, 20, 0, 0, 22, 24, 3.33, 85, 0, 0, 0},                       // short_64x64
         {2565, 0, 85, 0, 937, 74, 13.2, 46, 0, 0, 27, 29, 5.15, 149, 0, 0, 0},                      // short_64x128
         {1951, 634, 68, 0, 939, 71, 24, 13, 0, 0, 27, 30, 3.91, 346, 0, 0, 0},                      // short_128x64
         {48, 2258, 748, 0, 0, 860, 131, 274, 156, 8.53, 0, 0, 2.85, 0, 2413, 2445, 189},            // clusters_32x32
         {751, 1639, 317, 0, 0, 388, 0, 146, 132, 5.13, 0, 0, 34, 53, 2243, 1857, 198},              // clusters_8x32
         {730, 1637, 472, 0, 0, 363, 165, 0, 107, 13.8, 0, 0, 20, 32, 2368, 1881, 236},              // clusters_32x8
         {988, 2835, 695, 0, 0, 804, 67, 305, 236, 10.3, 0, 58, 0, 0, 4679, 2320, 0},                // clusters_32x64
         {3915, 3521, 2172, 2269, 550, 0, 0, 0, 0, 0, 33, 60, 0, 0, 0, 89, 113},                     // walk_128x256
         {4304, 2558, 2241, 2359, 1237, 0, 0, 0, 0, 0, 29, 95, 0, 0, 0, 2228, 281},                  // walk_64x128
         {5176, 1998, 2216, 2243, 0, 0, 0, 0, 0, 0, 47, 331, 0, 0, 0, 1158, 112},                    // walk_tn_128x256
         {4615, 3206, 2211, 2319, 0, 0, 0, 0, 0, 0, 24, 280, 0, 0, 0, 1328, 294},                    // walk_tn_64x128
         {5374, 3135, 2665, 0, 0, 0, 0, 0, 0, 0, 46, 316, 0, 0, 0, 1792, 120},                       // walk_nt_128x256
         {4971, 3467, 2430, 0, 0, 0, 0, 0, 0, 0, 15.1, 283, 0, 0, 0, 879, 324},                      // walk_nt_64x128
         {5126, 2956, 2251, 2250, 0, 0, 0, 0, 0, 0, 39, 298, 0, 0, 0, 1678, 109},                    // walk_tt_256x128
         {4600, 3765, 2306, 2371, 0, 0, 0, 0, 0, 0, 10.5, 239, 0, 0, 0, 852, 344},                   // walk_tt_64x128
         {2979, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 59, 0, 0, 2883, 81},                                // turned
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
