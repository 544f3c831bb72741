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
    "small_64x32",    "small_32x64",     "small_64x64",    "slices_64x128",  "slices_64x64",    "slices_64x32",
    "few_rows",       "few_columns",     "vectors",        "short_32x64",    "short_32x128",    "short_32x256",
    "short_64x64",    "short_64x128",    "short_128x64",   "clusters_32x32", "clusters_8x32",   "clusters_32x8",
    "clusters_32x64", "walk_128x256",    "walk_64x128",    "walk_128x64",    "walk_tn_128x256", "walk_tn_64x128",
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
         {3834, 5113, 420, 0, 0, 1192, 0, 24, 0, 0, 59, 213, 0, 0, 0, 0, 0},                        // plain_128x128
         {3482, 2341, 393, 0, 234, 655, 26, 28, 0, 0, 47, 178, 6.25, 580, 0, 0, 0},                 // plain_64x64
         {1997, 1767, 374, 0, 0, 72, 0.455, 2.72, 0, 8.85, 31, 77, 28, 965, 0, 0, 0},               // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                             // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                             // cp_async
         {1601, 634, 290, 0, 113, 151, 20, 26, 0.106, 9.72, 0.468, 41, 12.1, 576, 4461, 2867, 0},   // small_32x32
         {2042, 0, 317, 0, 222, 254, 54, 28, 0.0529, 17.5, 10.9, 45, 15, 458, 3350, 3079, 0},       // small_64x32
         {1989, 441, 495, 0, 210, 255, 26, 66, 0.00693, 7.68, 2.43, 48, 8.05, 481, 3011, 3956, 0},  // small_32x64
         {1554, 561, 351, 0, 375, 544, 40, 45, 0.918, 9.84, 15, 60, 0, 168, 5109, 3885, 0},         // small_64x64
         {1112, 2917, 1181, 1292, 100276, 0, 0, 0, 0, 0, 33, 204, 1.18, 0, 0, 0, 0},                // slices_64x128
         {926, 2533, 1303, 1431, 0, 0, 0, 0, 0, 0, 41, 207, 0, 0, 0, 1997, 509},                    // slices_64x64
         {844, 2339, 1263, 1953, 0, 0, 0, 0, 0, 1.79, 122, 547, 6.8, 0, 0, 0, 0},                   // slices_64x32
         {3276, 0, 689, 1064, 0, 0, 0, 0, 0, 0, 937, 1381, 8.84, 0, 0, 0, 0},                       // few_rows
         {4282, 0, 652, 877, 0, 0, 0, 0, 0, 0, 3850, 1682, 28, 0, 0, 1242, 0},                      // few_columns
         {128, 0, 1123, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                  // vectors
         {1920, 274, 53, 0, 539, 40, 2.71, 19.5, 0, 0, 19.1, 22, 2.43, 0, 0, 0, 0},                 // short_32x64
         {2198, 128, 52, 0, 685, 50, 2.22, 42, 0, 0, 22, 24, 0.234, 34, 0, 0, 0},                   // short_32x128
         {2480, 0, 71, 0, 977, 77, 3.14, 81, 0, 0, 32, 34, 0, 464, 0, 0, 0},                        // short_32x256
         {2101, 111, 60, 0, 752, 45, 12, 21, 0, 0, 18.2, 21, 0.267, 14.1, 0, 0, 0},                 // short_64x64
         {2547, 0, 89, 0, 938, 72, 13.1, 46, 0, 0, 26, 27, 7.08, 416, 0, 0, 0},                     // short_64x128
         {1731, 692, 72, 0, 1121, 71, 19.6, 12.5, 0, 0, 24, 27, 0, 241, 0, 0, 0},                   // short_128x64
         {0, 2351, 825, 0, 0, 753, 156, 278, 156, 9.2, 0, 0, 6.58, 158, 3197, 2186, 228},           // clusters_32x32
         {664, 1726, 373, 0, 0, 316, 11.6, 164, 130, 6.53, 0, 0, 38, 196, 2425, 1770, 227},         // clusters_8x32
         {738, 1630, 541, 0, 0, 277, 185, 0, 109, 14.8, 0, 0, 23, 303, 2578, 1798, 237},            // clusters_32x8
         {1137, 2660, 668, 0, 0, 827, 75, 305, 209, 10.7, 0, 67, 3.55, 0, 5856, 2174, 0},           // clusters_32x64
         {4335, 2920, 2183, 2260, 780, 0, 0, 0, 0, 0, 36, 63, 0, 0, 0, 484, 115},                   // walk_128x256
         {4185, 2747, 2255, 2374, 1226, 0, 0, 0, 0, 0, 27, 86, 0, 0, 0, 1786, 296},                 // walk_64x128
         {4523, 2709, 2340, 2462, 748, 0, 0, 0, 0, 0, 35, 112, 0, 0, 0, 1458, 327},                 // walk_128x64
         {5371, 1998, 2232, 2206, 0, 0, 0, 0, 0, 0, 48, 301, 0, 0, 0, 1678, 117},                   // walk_tn_128x256
         {4965, 3160, 2210, 2335, 0, 0, 0, 0, 0, 0, 26, 252, 0, 0, 0, 757, 315},                    // walk_tn_64x128
         {4315, 3751, 2204, 2254, 0, 0, 0, 0, 0, 0, 15.5, 321, 0, 0, 0, 484, 354},                  // walk_tn_128x64
         {5589, 2913, 2661, 0, 0, 0, 0, 0, 0, 0, 47, 300, 0, 0, 0, 0, 143},                         // walk_nt_128x256
         {4358, 3916, 2436, 0, 0, 0, 0, 0, 0, 0, 8.07, 271, 0, 0, 0, 792, 345},                     // walk_nt_64x128
         {4535, 3857, 2432, 0, 0, 0, 0, 0, 0, 0, 15.3, 359, 0, 0, 0, 0, 379},                       // walk_nt_128x64
         {4020, 4277, 2282, 2280, 0, 0, 0, 0, 0, 0, 29, 300, 0, 0, 0, 1873, 115},                   // walk_tt_256x128
         {4197, 4189, 2325, 2381, 0, 0, 0, 0, 0, 0, 0, 261, 0, 0, 0, 1035, 317},                    // walk_tt_64x128
         {5938, 2970, 2239, 2362, 0, 0, 0, 0, 0, 0, 12.1, 271, 0, 0, 0, 0, 322},                    // walk_tt_128x64
         {2988, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 63, 0, 0, 2947, 77},                               // turned
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
