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
         {1280, 2780, 1175, 1283, 142196, 0, 0, 0, 0, 0, 37, 225, 1.06, 0, 0, 0, 0},                 // slices_64x128
         {1234, 2242, 1291, 1420, 0, 0, 0, 0, 0, 0, 59, 226, 0, 0, 0, 1972, 566},                    // slices_64x64
         {1326, 2451, 1202, 1943, 0, 0, 0, 0, 0, 2.52, 97, 492, 9.9, 0, 0, 0, 0},                    // slices_64x32
         {3682, 0, 675, 1164, 0, 0, 0, 0, 0, 0, 280, 778, 1.81, 0, 0, 0, 0},                         // few_rows
         {5218, 0, 557, 828, 0, 0, 0, 0, 0, 0, 3554, 3989, 31, 0, 0, 680, 0},                        // few_columns
         {0, 0, 1165, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                     // vectors
         {1901, 404, 53, 0, 409, 40, 3.19, 19.4, 0, 0, 30, 33, 4.68, 41, 0, 0, 0},                   // short_32x64
         {2342, 48, 51, 0, 634, 49, 2.79, 42, 0, 0, 23, 25, 4.91, 206, 0, 0, 0},                     // short_32x128
         {2538, 0, 67, 0, 920, 79, 3.67, 83, 0, 0, 32, 36, 0, 497, 0, 0, 0},                         // short_32x256
         {2261, 0, 60, 0, 689, 44, 12.7, 20, 0, 0, 22, 24, 3.33, 85, 0, 0, 0},                       // short_64x64
         {2565, 0, 85, 0, 937, 74, 13.2, 46, 0, 0, 27, 29, 5.15, 149, 0, 0, 0},                      // short_64x128
         {1951, 634, 68, 0, 939, 71, 24, 13, 0, 0, 27, 30, 3.91, 346, 0, 0, 0},                      // short_128x64
         {48, 2258, 748, 0, 0, 860, 131, 274, 156, 8.53, 0, 0, 2.85, 0, 2413, 2445, 189},            // clusters_32x32
         {728, 1638, 372, 0, 0, 334, 0, 112, 144, 6.87, 0, 0, 28, 80, 2194, 1813, 231},              // clusters_8x32
         {730, 1637, 472, 0, 0, 363, 165, 0, 107, 13.8, 0, 0, 20, 32, 2368, 1881, 236},              // clusters_32x8
         {988, 2835, 695, 0, 0, 804, 67, 305, 236, 10.3, 0, 58, 0, 0, 4679, 2320, 0},                // clusters_32x64
         {4958, 2448, 2180, 2259, 1755, 0, 0, 0, 0, 0, 37, 66, 0, 0, 0, 319, 111},                   // walk_128x256
         {4475, 2391, 2236, 2349, 1829, 0, 0, 0, 0, 0, 31, 99, 0, 0, 0, 2227, 289},                  // walk_64x128
         {7885, 816, 2204, 2187, 0, 0, 0, 0, 0, 0, 52, 322, 0, 0, 0, 0, 107},                        // walk_tn_128x256
         {5429, 2780, 2217, 2318, 0, 0, 0, 0, 0, 0, 40, 271, 0, 0, 0, 993, 279},                     // walk_tn_64x128
         {3632, 5402, 2651, 0, 0, 0, 0, 0, 0, 0, 37, 316, 0, 0, 0, 874, 126},                        // walk_nt_128x256
         {5102, 3296, 2460, 0, 0, 0, 0, 0, 0, 0, 15.8, 280, 0, 0, 0, 1272, 298},                     // walk_nt_64x128
         {4995, 3807, 2276, 2270, 0, 0, 0, 0, 0, 0, 26, 309, 0, 0, 0, 0, 115},                       // walk_tt_256x128
         {5105, 3449, 2332, 2369, 0, 0, 0, 0, 0, 0, 17.9, 284, 0, 0, 0, 1079, 307},                  // walk_tt_64x128
         {2974, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 62, 0, 0, 2911, 82},                                // turned
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
