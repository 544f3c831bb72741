// The kernels that 67, 77, 79 and 90 choose among, each with its tile, and what their work costs (work.h), measured.
#pragma once

#include <cstddef>
#include <iterator>

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

// The costs of all ways on a GPU, in the order of enum WayId. `make tune` writes those of the GPU at hand.
struct CostsOfGpu {
    int capability;  // times 10: a GPU takes the costs of the newest one that is not newer, or the first
    Costs of[kWaysWithCosts];

    double cycles(WayId id, const Work& work) const { return cycles_of(of[static_cast<size_t>(id)], work); }
};

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb,
// crowded, packed, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3
         {4817, 3768, 477, 0, 0, 1137, 0, 41, 0, 0, 72, 242, 0, 17, 0, 0, 0},                        // plain_128x128
         {4478, 1161, 409, 0, 402, 632, 26, 28, 0, 0, 51, 187, 11.6, 675, 0, 0, 0},                  // plain_64x64
         {1849, 1857, 396, 0, 0, 60, 0, 1.77, 0, 13.7, 30, 83, 32, 1004, 0, 0, 0},                   // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                              // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                              // cp_async
         {1360, 1316, 211, 0, 31, 87, 3.77, 4.57, 0.321, 5.71, 7.12, 55, 13.8, 954, 4212, 2494, 0},  // small_32x32
         {1528, 1063, 219, 0, 62, 162, 7.9, 5.36, 0.138, 11, 11, 52, 16.3, 1646, 3452, 2744, 0},     // small_64x32
         {953, 2253, 312, 0, 0, 155, 4.99, 14.2, 0.513, 2.22, 5.79, 62, 4.01, 1426, 3520, 3073, 0},  // small_32x64
         {1131, 1809, 189, 0, 0, 342, 16.2, 19.2, 0, 3.53, 17.6, 72, 0, 1257, 5476, 3122, 0},        // small_64x64
         {1280, 2780, 1175, 1283, 142196, 0, 0, 0, 0, 0, 37, 225, 1.06, 0, 0, 0, 0},                 // slices_64x128
         {1234, 2242, 1291, 1420, 0, 0, 0, 0, 0, 0, 59, 226, 0, 0, 0, 1972, 566},                    // slices_64x64
         {1326, 2451, 1202, 1943, 0, 0, 0, 0, 0, 2.52, 97, 492, 9.9, 0, 0, 0, 0},                    // slices_64x32
         {3682, 0, 675, 1164, 0, 0, 0, 0, 0, 0, 280, 778, 1.81, 0, 0, 0, 0},                         // few_rows
         {5218, 0, 557, 828, 0, 0, 0, 0, 0, 0, 3554, 3989, 31, 0, 0, 680, 0},                        // few_columns
         {0, 0, 1165, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                     // vectors
         {1963, 360, 53, 0, 388, 40, 4.31, 22, 0, 0, 27, 30, 11, 467, 0, 0, 0},                      // short_32x64
         {2371, 87, 51, 0, 559, 49, 4.33, 45, 0, 0, 24, 26, 6.65, 535, 0, 0, 0},                     // short_32x128
         {2751, 0, 63, 0, 718, 84, 2.65, 86, 0, 0, 31, 34, 7.4, 1353, 0, 0, 0},                      // short_32x256
         {2273, 41, 61, 0, 626, 44, 13.6, 24, 0, 0, 20, 22, 7.76, 684, 0, 0, 0},                     // short_64x64
         {2743, 0, 83, 0, 734, 74, 17.1, 49, 0, 0, 28, 30, 10.1, 1028, 0, 0, 0},                     // short_64x128
         {2100, 310, 72, 0, 1092, 69, 23, 14.8, 0, 0, 28, 31, 4.07, 187, 0, 0, 0},                   // short_128x64
         {116, 2212, 789, 0, 0, 777, 130, 282, 175, 10.2, 0, 0, 3.02, 40, 2385, 2420, 189},          // clusters_32x32
         {728, 1638, 372, 0, 0, 334, 0, 112, 144, 6.87, 0, 0, 28, 80, 2194, 1813, 231},              // clusters_8x32
         {706, 1591, 537, 0, 0, 361, 132, 0, 99, 15, 0, 0, 17.6, 121, 2259, 1887, 242},              // clusters_32x8
         {1234, 2903, 767, 0, 0, 683, 82, 302, 268, 11.9, 0, 43, 1.09, 349, 4985, 2190, 0},          // clusters_32x64
         {4958, 2448, 2180, 2259, 1755, 0, 0, 0, 0, 0, 37, 66, 0, 0, 0, 319, 111},                   // walk_128x256
         {4475, 2391, 2236, 2349, 1829, 0, 0, 0, 0, 0, 31, 99, 0, 0, 0, 2227, 289},                  // walk_64x128
         {7885, 816, 2204, 2187, 0, 0, 0, 0, 0, 0, 52, 322, 0, 0, 0, 0, 107},                        // walk_tn_128x256
         {5429, 2780, 2217, 2318, 0, 0, 0, 0, 0, 0, 40, 271, 0, 0, 0, 993, 279},                     // walk_tn_64x128
         {3632, 5402, 2651, 0, 0, 0, 0, 0, 0, 0, 37, 316, 0, 0, 0, 874, 126},                        // walk_nt_128x256
         {5102, 3296, 2460, 0, 0, 0, 0, 0, 0, 0, 15.8, 280, 0, 0, 0, 1272, 298},                     // walk_nt_64x128
         {4995, 3807, 2276, 2270, 0, 0, 0, 0, 0, 0, 26, 309, 0, 0, 0, 0, 115},                       // walk_tt_256x128
         {5105, 3449, 2332, 2369, 0, 0, 0, 0, 0, 0, 17.9, 284, 0, 0, 0, 1079, 307},                  // walk_tt_64x128
         {2974, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 62, 0, 0, 2911, 82},                                // turned
     }},
};

inline const CostsOfGpu& costs_for(int capability) {
    const CostsOfGpu* found = kCostsOfGpus;
    for (const CostsOfGpu& each : kCostsOfGpus) {
        if (each.capability <= capability && each.capability > found->capability) found = &each;
    }
    return *found;
}

}  // namespace ladder
