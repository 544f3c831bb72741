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

// start, waves, steps, word_steps, blocks, block_steps, along_a, along_b, copies, l2_kb, store_kb, word_kb, memory_kb, parts, of_parts
constexpr CostsOfGpu kCostsOfGpus[] = {
    {90,
     {
         // NVIDIA H100 80GB HBM3
         {5423, 2861, 479, 0, 0, 1131, 0, 12.5, 0, 0, 78.9, 261, 0.122, 0, 0},          // plain_128x128
         {5312, 0, 406, 0, 543, 629, 34, 20.7, 0, 0, 60.6, 211, 11.4, 0, 0},            // plain_64x64
         {2581, 989, 408, 0, 34.5, 58.3, 0, 5.22, 0, 14.6, 68, 114, 28.5, 0, 0},        // plain_16x16
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                 // warp_tile
         {8000, 0, 0, 0, 0, 1300, 0, 0, 0, 0, 0, 0, 0},                                 // cp_async
         {2529, 0, 191, 0, 218, 103, 9.05, 10, 0, 5.66, 0, 33.5, 1.6, 2888, 0},         // small_32x32
         {2366, 0, 205, 0, 417, 183, 17.2, 6.62, 0.196, 16.8, 0, 28.3, 1.29, 3009, 0},  // small_64x32
         {3183, 0, 296, 0, 413, 162, 8.46, 18.6, 0.0862, 2.8, 0, 40, 0, 3179, 0},       // small_32x64
         {2568, 0, 209, 0, 826, 314, 19.1, 23.1, 1.82, 13.6, 0, 38.8, 0, 3599, 0},      // small_64x64
         {2089, 1963, 1188, 1283, 103430, 0, 0, 0, 0, 0, 59, 238, 0, 0, 0},             // slices_64x128
         {1925, 1546, 1305, 1419, 0, 0, 0, 0, 0, 0, 94.1, 253, 0, 1957, 601},           // slices_64x64
         {1774, 2401, 1173, 1971, 0, 0, 0, 0, 0, 1.22, 134, 493, 12.8, 0, 0},           // slices_64x32
         {4083, 0, 528, 1092, 0, 0, 0, 0, 0, 7.82, 475, 956, 24.2, 0, 0},               // few_rows
         {5772, 0, 350, 677, 0, 0, 0, 0, 0, 0, 2814, 3184, 62.4, 2923, 0},              // few_columns
         {0, 0, 1188, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                              // vectors
         {2356, 0, 54.8, 0, 357, 40.6, 3.09, 20, 0, 0, 47.1, 49.4, 6.84, 0, 0},         // short_32x64
         {2467, 0, 51.3, 0, 582, 51.2, 2.89, 43.7, 0, 0, 29, 30.8, 2.08, 0, 0},         // short_32x128
         {2536, 0, 72.4, 0, 942, 80.3, 0.421, 85.3, 0, 0, 35.7, 36.6, 0, 0, 0},         // short_32x256
         {2400, 0, 61, 0, 539, 45.9, 12.7, 21.6, 0, 0, 32.1, 34.8, 2.09, 0, 0},         // short_64x64
         {2701, 0, 86.9, 0, 762, 75.4, 13.3, 49.5, 0, 0, 33.8, 34.2, 6.53, 0, 0},       // short_64x128
         {2280, 142, 76.6, 0, 1090, 67.8, 20.9, 11.7, 0, 0, 30.2, 34.2, 5.39, 0, 0},    // short_128x64
         {189, 1911, 626, 0, 237, 1013, 91.5, 259, 154, 8.99, 0, 0, 1.99, 3185, 150},   // clusters_32x32
         {944, 1325, 217, 0, 23.6, 593, 0, 119, 141, 7.64, 0, 0, 16.9, 2527, 291},      // clusters_8x32
         {991, 1015, 420, 0, 256, 558, 110, 0, 70.4, 13.3, 0, 0, 16.6, 2669, 264},      // clusters_32x8
         {2000, 1812, 597, 0, 693, 738, 82.7, 321, 298, 10.1, 0, 0, 0, 3209, 0},        // clusters_32x64
         {3548, 4452, 2175, 2266, 0, 0, 0, 0, 0, 0, 37, 50.4, 0, 0, 106},               // walk_128x256
         {3484, 3710, 2258, 2351, 0, 0, 0, 0, 0, 0, 13.3, 64.9, 0, 1933, 286},          // walk_64x128
         {5822, 2710, 2347, 2213, 0, 0, 0, 0, 0, 0, 46.3, 316, 0, 291, 105},            // walk_tn_128x256
         {6130, 2423, 2209, 2311, 0, 0, 0, 0, 0, 0, 41.9, 281, 0, 1217, 260},           // walk_tn_64x128
         {10383, 0, 2659, 0, 0, 0, 0, 0, 0, 0, 64.2, 344, 0, 0, 115},                   // walk_nt_128x256
         {6461, 2324, 2440, 0, 0, 0, 0, 0, 0, 0, 53.5, 300, 0, 1125, 306},              // walk_nt_64x128
         {6800, 2544, 2268, 2266, 0, 0, 0, 0, 0, 0, 29.3, 313, 0, 0, 116},              // walk_tt_256x128
         {5493, 3566, 2358, 2349, 0, 0, 0, 0, 0, 0, 0, 256, 0, 761, 305},               // walk_tt_64x128
         {3004, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 61.2, 2921, 84.5},                     // turned
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
